import Crypto
import Foundation

extension ProviderToken {
    private struct Header: Decodable {
        var alg: String
        var kid: String
    }

    private struct Claims: Decodable {
        var iss: String
        var iat: Double
    }

    /// Reads a JWT (RFC 7519, in the compact form of RFC 7515) and checks its ES256 signature (RFC 7518 §3.4).
    /// Nil if it is malformed, of an unknown key or of another team, or signed by somebody else.
    ///
    /// Source: Apple, "Establishing a token-based connection to APNs".
    static func verify(_ text: String, keys: [String: APNsSimulator.ProviderKey]) -> ProviderToken? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header: Header = decode(parts[0]), header.alg == "ES256",
            let claims: Claims = decode(parts[1]),
            let key = keys[header.kid], key.teamID == claims.iss,
            let bytes = base64URL(parts[2]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: bytes),
            key.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8))
        else { return nil }
        return ProviderToken(
            teamID: key.teamID,
            keyID: key.keyID,
            issuedAt: Date(timeIntervalSince1970: claims.iat),
            topics: key.topics,
            environments: key.environments
        )
    }

    private static func decode<Part: Decodable>(_ part: Substring) -> Part? {
        base64URL(part).flatMap { try? JSONDecoder().decode(Part.self, from: $0) }
    }

    /// RFC 7515 §2: the URL-safe alphabet, without padding.
    private static func base64URL(_ part: Substring) -> Data? {
        var text = ""
        for character in part.unicodeScalars {
            switch character {
            case "-": text.unicodeScalars.append("+")
            case "_": text.unicodeScalars.append("/")
            case "+", "/", "=": return nil
            default: text.unicodeScalars.append(character)
            }
        }
        text += String(repeating: "=", count: (4 - part.utf8.count % 4) % 4)
        return Data(base64Encoded: text)
    }
}
