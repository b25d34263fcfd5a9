import Crypto
import Foundation

/// The content of a VAPID authorization (RFC 8292 §3) with a valid signature. It may still be expired, or for another
/// origin.
struct VAPIDSignature: Sendable, Equatable {
    /// The sender's public key, an uncompressed point of P-256, 65 bytes.
    var publicKey: [UInt8]
    /// The origins that the token is for.
    var audiences: [String]
    var expiresAt: Date
    /// How to reach the sender; nil is allowed (RFC 8292 §2.1).
    var subject: String?

    private struct Header: Decodable {
        var alg: String
    }

    private struct Claims: Decodable {
        var aud: TokenAudience
        var exp: Double
        var sub: String?
    }

    /// Reads `vapid t=…, k=…` and checks the ES256 signature of the JWT `t` with the key `k`.
    static func verify(_ header: String) throws(WebPushRequestError) -> VAPIDSignature {
        let parts = header.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1).map { Substring($0) }
        guard parts.count == 2, parts[0].lowercased() == "vapid" else {
            throw WebPushRequestError(.missingAuthorization)
        }
        let parameters = Self.parameters(parts[1])
        guard let text = parameters["t"], let key = parameters["k"] else { throw WebPushRequestError(.badJWT) }
        guard let token = SignedToken<Header, Claims>(text), token.header.alg == "ES256",
            let publicKey = SimulatorBase64URL.decode(key), publicKey.count == 65,
            let verifier = try? P256.Signing.PublicKey(x963Representation: publicKey),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature),
            verifier.isValidSignature(signature, for: token.signedBytes)
        else { throw WebPushRequestError(.badJWT) }
        return VAPIDSignature(
            publicKey: publicKey,
            audiences: token.claims.aud.values,
            expiresAt: Date(timeIntervalSince1970: token.claims.exp),
            subject: token.claims.sub
        )
    }

    /// The parameters: names and values, with or without quotation marks, between commas (RFC 9110 §11.2).
    private static func parameters(_ text: Substring) -> [String: String] {
        var parameters: [String: String] = [:]
        for pair in text.utf8.split(separator: UInt8(ascii: ",")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1).map(withoutSpaces)
            guard parts.count == 2 else { continue }
            var value = parts[1]
            let quote = UInt8(ascii: "\"")
            if value.count >= 2, value.first == quote, value.last == quote { value = value.dropFirst().dropLast() }
            parameters[String(Substring(parts[0])).lowercased()] = String(Substring(value))
        }
        return parameters
    }

    private static func withoutSpaces(_ text: Substring.UTF8View) -> Substring.UTF8View {
        let space = UInt8(ascii: " ")
        var text = text.drop { $0 == space }
        while text.last == space { text = text.dropLast() }
        return text
    }
}

/// The rules for a VAPID token.
struct VAPIDRules: Sendable, Equatable {
    /// In seconds. RFC 8292 §2: the expiry "MUST NOT be more than 24 hours from the time of the request".
    static let longestLife: TimeInterval = 86_400

    /// The origin of the push service.
    var origin: String

    func check(_ signature: VAPIDSignature, now: Date) throws(WebPushRequestError) {
        guard signature.audiences.contains(origin) else { throw WebPushRequestError(.badAudience) }
        let left = signature.expiresAt.timeIntervalSince(now)
        guard left > 0, left <= Self.longestLife else { throw WebPushRequestError(.expiredJWT) }
        guard let subject = signature.subject?.lowercased() else { return }
        let isContact = ["mailto:", "https://"].contains { subject.hasPrefix($0) && subject.count > $0.count }
        guard isContact else { throw WebPushRequestError(.badSubject) }
    }
}
