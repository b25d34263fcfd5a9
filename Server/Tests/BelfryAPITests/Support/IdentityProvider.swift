import BelfryTestSupport
import Crypto
import Foundation

/// An identity provider that signs with ES256; its key is made from the bytes 1 to 32 and signs nothing else.
package struct IdentityProvider: Sendable {
    package static let issuer = "https://id.example.com"
    package static let audience = "shop-app"

    private let key: P256.Signing.PrivateKey

    package init() throws {
        key = try P256.Signing.PrivateKey(rawRepresentation: Data(1...32))
    }

    /// Its public key as a JWK.
    package var publicKey: String {
        let point = key.publicKey.rawRepresentation
        return """
            {"kty":"EC","crv":"P-256","kid":"k1","x":"\(base64URL(point.prefix(32)))",\
            "y":"\(base64URL(point.suffix(32)))"}
            """
    }

    /// The value of the setting `openID`.
    ///
    /// - Parameter changes: other members as JSON; a nil leaves one out.
    package func settings(_ changes: [String: String?] = [:]) -> String {
        var members: [String: String?] = [
            "issuer": "\"\(Self.issuer)\"", "audience": "\"\(Self.audience)\"", "claim": #""sub""#,
            "jwks": #"{"keys":[\#(publicKey)]}"#,
        ]
        members.merge(changes) { $1 }
        return Self.object(members)
    }

    /// A token for ten minutes.
    ///
    /// - Parameter changes: other claims as JSON; a nil leaves one out.
    package func token(for person: String, now: Date, _ changes: [String: String?] = [:]) throws -> String {
        let seconds = Int(now.timeIntervalSince1970)
        var claims: [String: String?] = [
            "iss": "\"\(Self.issuer)\"", "aud": "\"\(Self.audience)\"", "iat": "\(seconds)",
            "exp": "\(seconds + 600)", "sub": "\"\(person)\"",
        ]
        claims.merge(changes) { $1 }
        let header = base64URL(#"{"alg":"ES256","kid":"k1"}"#.utf8)
        let signed = "\(header).\(base64URL(Self.object(claims).utf8))"
        let signature = try key.signature(for: Data(signed.utf8)).rawRepresentation
        return "\(signed).\(base64URL(signature))"
    }

    /// An object of these members, in alphabetical order.
    package static func object(_ members: [String: String?]) -> String {
        let texts = members.compactMapValues(\.self).map { "\"\($0.key)\":\($0.value)" }
        return "{" + texts.sorted().joined(separator: ",") + "}"
    }
}
