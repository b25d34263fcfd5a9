import Foundation
import Testing

/// A JSON Web Token taken apart by means of its own (RFC 7515 §7.1).
struct DecodedToken {
    let header: [String: Any]
    let claims: [String: Any]
    let signed: String
    let signature: Data

    init(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        header = try Self.object(parts[0])
        claims = try Self.object(parts[1])
        signed = "\(parts[0]).\(parts[1])"
        signature = try Self.bytes(parts[2])
    }

    var issuedAt: Int {
        get throws { try #require(claims["iat"] as? Int) }
    }

    private static func object(_ part: Substring) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: bytes(part)) as? [String: Any])
    }

    private static func bytes(_ part: Substring) throws -> Data {
        try #require(!part.contains { "+/=".contains($0) })
        let standard = part.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let padding = String(repeating: "=", count: (4 - standard.count % 4) % 4)
        return try #require(Data(base64Encoded: standard + padding))
    }
}
