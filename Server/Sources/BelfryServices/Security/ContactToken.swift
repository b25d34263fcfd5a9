import BelfryModel
import BelfryPush
import Crypto
import Foundation

/// The signed token of a device (WIRE-20): a JWT (HS256) that names app, device and link generation.
package struct ContactToken: Hashable, Sendable {
    /// About eight hours, in seconds.
    package static let lifetime: TimeInterval = 8 * 3600
    static let maximumLength = 1_024

    package let app: String
    package let clientID: String
    /// The device's row.
    package let device: Int64
    package let generation: Int64
    package let expiresAt: Date

    private struct Header: Codable {
        var alg = "HS256"
        var typ = "JWT"
        var kid: String
    }

    private struct Claims: Codable {
        var app: String
        var sub: String
        var dev: Int64
        var gen: Int64
        var exp: Int64
    }

    /// Why a token does not count.
    package enum Fault: Error, Hashable, Sendable {
        case malformed
        case badSignature
    }

    package init(app: String, clientID: String, device: Int64, generation: Int64, expiresAt: Date) {
        self.app = app
        self.clientID = clientID
        self.device = device
        self.generation = generation
        self.expiresAt = expiresAt
    }

    package func signed(with keys: ServerKeys) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let claims = Claims(
            app: app, sub: clientID, dev: device, gen: generation, exp: Int64(expiresAt.timeIntervalSince1970)
        )
        let signed =
            try Base64URL.encode(encoder.encode(Header(kid: keys.keyID))) + "."
            + Base64URL.encode(encoder.encode(claims))
        let mac = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: keys.contactToken)
        return signed + "." + Base64URL.encode(mac)
    }

    /// Checks the signature before it reads anything; only HS256 with our own key id is accepted.
    ///
    /// It may have expired: then it shows which device calls (WIRE-3), and is not enough to act.
    package init(verifyingSignatureOf text: String, with keys: ServerKeys) throws(Fault) {
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard bytes.count <= Self.maximumLength, parts.count == 3, let mac = Base64URL.decode(utf8: parts[2]) else {
            throw Fault.malformed
        }
        let signed = bytes[..<parts[1].endIndex]
        guard HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: signed, using: keys.contactToken) else {
            throw Fault.badSignature
        }
        guard let header = Self.decode(Header.self, parts[0]), header.alg == "HS256", header.kid == keys.keyID,
            let claims = Self.decode(Claims.self, parts[1])
        else { throw Fault.malformed }
        self.init(
            app: claims.app, clientID: claims.sub, device: claims.dev, generation: claims.gen,
            expiresAt: Date(timeIntervalSince1970: Double(claims.exp))
        )
    }

    private static func decode<Value: Decodable>(_ type: Value.Type, _ part: ArraySlice<UInt8>) -> Value? {
        Base64URL.decode(utf8: part).flatMap { try? JSONDecoder().decode(type, from: Data($0)) }
    }
}
