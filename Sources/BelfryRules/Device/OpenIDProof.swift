import BelfryModel
import Foundation

/// A token of the customer's identity provider: it proves to the server who uses the device (ID-3).
///
/// It is a proof and not a key: only the server verifies it, and it is not stored once the server has responded to the
/// link. Its description never shows it.
public struct OpenIDProof: Hashable, Sendable, Codable {
    /// The maximum size in bytes; the server reads no more.
    public static let maximumBytes = 8_192

    /// Three parts of base64url, joined by dots (RFC 7515 §3.1).
    public let token: String

    /// - Parameter raw: the token as the identity provider gave it; trimmed.
    public init(_ raw: String) throws(ValueError) {
        let trimmed = raw.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else {
            throw ValueError(code: "blank", message: "An OpenID token cannot be empty or blank.")
        }
        guard trimmed.utf8.count <= Self.maximumBytes else {
            throw ValueError(code: "tooLong", message: "An OpenID token has at most \(Self.maximumBytes) bytes.")
        }
        let parts = trimmed.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(Self.isBase64URL) }) else {
            throw ValueError(
                code: "invalidToken",
                message: "An OpenID token has three parts of Base64url, joined by dots. Is this an access token?"
            )
        }
        token = trimmed
    }

    /// Distinguishes tokens.
    public var digest: StableDigest {
        var fields = DigestFields()
        fields.add("token", token)
        return fields.digest
    }

    /// Distinguishes persons, so that a fresh token of the same person changes nothing. A token without a subject
    /// counts as a person of its own.
    ///
    /// The token is read unverified: only the server has to trust it, and here it decides only what data the device
    /// keeps for the person.
    public var subject: StableDigest {
        guard let claims, let subject = claims.sub else { return digest }
        var fields = DigestFields()
        fields.add("issuer", claims.iss)
        fields.add("subject", subject)
        return fields.digest
    }

    /// The contact key in the token, if the server uses the default claim.
    var contactKey: ContactKey? {
        guard let subject = claims?.sub else { return nil }
        return try? ContactKey(subject)
    }

    private struct Claims: Decodable {
        let iss: String?
        let sub: String?
    }

    private var claims: Claims? {
        let parts = token.utf8.split(separator: UInt8(ascii: ".")).map { Substring($0) }
        guard parts.count == 3, let json = Base64Text.bytes(parts[1], alphabet: .url) else { return nil }
        return try? CheckedJSON.decode(Claims.self, from: json, maximumBytes: Self.maximumBytes)
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

extension OpenIDProof: CustomStringConvertible {
    /// The token's size, without the token.
    public var description: String { "an OpenID token of \(token.utf8.count) bytes" }
}
