import BelfryModel
import BelfryPush
import Crypto
import Foundation
import Synchronization

/// The signed token of a device (WIRE-20): a JWT (HS256) with app, device, link generation and the epoch of the
/// installation. Generations continue across epochs, so a token of an earlier epoch belongs to an ended generation
/// (SEC-10).
package struct ContactToken: Hashable, Sendable {
    /// About eight hours, in seconds.
    package static let lifetime: TimeInterval = 8 * 3600
    static let maximumLength = 1_024

    package let app: String
    /// The canonical form of the device id, in which the case of a UUID does not matter.
    package let clientID: String
    /// The number of the device's row.
    package let device: Int64
    package let generation: Int64
    /// 0 while the device's row has had only one installation, and in older tokens.
    package let epoch: Int64
    package let expiresAt: Date

    /// Why a token is invalid.
    package enum VerificationError: Error, Hashable, Sendable {
        case malformed
        case badSignature
    }

    package init(
        app: String, clientID: String, device: Int64, generation: Int64, epoch: Int64, expiresAt: Date
    ) {
        self.app = app
        self.clientID = DeviceID.canonical(of: clientID)
        self.device = device
        self.generation = generation
        self.epoch = epoch
        self.expiresAt = expiresAt
    }

    package func signed(with keys: ServerKeys) -> String {
        let signed = Self.header(keys) + "." + Base64URL.encode(Array(claims.utf8))
        let mac = HMAC<SHA256>.authenticationCode(for: Data(signed.utf8), using: keys.contactToken)
        return signed + "." + Base64URL.encode(mac)
    }

    /// Of the parts, only a device id that is no UUID may have characters that JSON escapes: quotes and backslashes.
    private var claims: String {
        let expiry = Int64(expiresAt.timeIntervalSince1970)
        let epoch = epoch == 0 ? "" : #","epo":\#(epoch)"#
        var subject: [UInt8] = []
        JSONEscape.append(clientID, to: &subject)
        let sub = String(decoding: subject, as: UTF8.self)
        return #"{"app":"\#(app)","dev":\#(device)\#(epoch),"exp":\#(expiry),"gen":\#(generation),"sub":"\#(sub)"}"#
    }

    private static func header(_ keys: ServerKeys) -> String {
        Base64URL.encode(Array(#"{"alg":"HS256","kid":"\#(keys.keyID)","typ":"JWT"}"#.utf8))
    }

    /// Verifies the signature before it reads anything. Only HS256 with the server's own key id is accepted.
    ///
    /// The token may have expired: then it shows which device calls (WIRE-3), but does not authorize anything.
    package init(verifyingSignatureOf text: String, with keys: ServerKeys) throws(VerificationError) {
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard bytes.count <= Self.maximumLength, parts.count == 3, let mac = Base64URL.decode(utf8: parts[2]) else {
            throw VerificationError.malformed
        }
        let signed = bytes[..<parts[1].endIndex]
        // A signature has one spelling; another one would count as another token in caches.
        guard HMAC<SHA256>.isValidAuthenticationCode(mac, authenticating: signed, using: keys.contactToken),
            Base64URL.encode(mac).utf8.elementsEqual(parts[2])
        else { throw VerificationError.badSignature }
        // Only a server of this installation has the key, so the payload has exactly the form that ``signed(with:)``
        // writes.
        guard parts[0].elementsEqual(Self.header(keys).utf8), let claims = Base64URL.decode(utf8: parts[1]),
            let token = Self(claims: claims)
        else { throw VerificationError.malformed }
        self = token
    }

    private init?(claims: [UInt8]) {
        var rest = claims[...]
        guard rest.take(#"{"app":""#), let app = rest.text(), (try? AppCode(app)) != nil, rest.take(#","dev":"#),
            let device = rest.number(),
            let epoch = rest.take(#","epo":"#) ? rest.number() : 0,
            rest.take(#","exp":"#), let expiry = rest.number(), rest.take(#","gen":"#),
            let generation = rest.number(), rest.take(#","sub":""#), let clientID = rest.text(), rest.take("}"),
            rest.isEmpty
        else { return nil }
        self.init(
            app: app, clientID: clientID, device: device, generation: generation, epoch: epoch,
            expiresAt: Date(timeIntervalSince1970: Double(expiry))
        )
    }
}

/// Reads claims from the front. A decoder would take longer than the signature check (PERF-5).
extension ArraySlice<UInt8> {
    fileprivate mutating func take(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes in
            guard starts(with: bytes) else { return false }
            removeFirst(bytes.count)
            return true
        }
    }

    /// Reads a text up to its closing quote and skips the quote. A backslash only precedes a quote or a backslash,
    /// because a token has no control characters.
    fileprivate mutating func text() -> String? {
        var bytes: [UInt8] = []
        while let byte = popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = popFirst() else { return nil }
                bytes.append(escaped)
            default: bytes.append(byte)
            }
        }
        return nil
    }

    fileprivate mutating func number() -> Int64? {
        let digits = prefix { $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        removeFirst(digits.count)
        return WholeNumber.read(String(decoding: digits, as: UTF8.self))
    }
}

/// Contact tokens with a recently verified signature: a device sends the same one with each call, for hours. Its expiry
/// and its link are checked each time.
final class VerifiedTokens: Sendable {
    /// The highest number of entries; each takes a few hundred bytes.
    static let maximumCount = 16_384

    private let tokens = Mutex(RecentMemory<String, ContactToken>(maximumCount: maximumCount))

    func find(_ text: String) -> ContactToken? {
        // A longer text is invalid, and is not looked up while others wait for the lock.
        guard text.utf8.count <= ContactToken.maximumLength else { return nil }
        return tokens.withLock { $0.find(text) }
    }

    func insert(_ token: ContactToken, as text: String) {
        tokens.withLock { $0.insert(token, for: text) }
    }
}
