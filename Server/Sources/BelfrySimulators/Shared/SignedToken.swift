import Foundation

/// A JWT (RFC 7519) in the compact form of RFC 7515 §3.1. Its signature is not checked yet.
struct SignedToken<Header: Decodable, Claims: Decodable> {
    let header: Header
    let claims: Claims
    /// What the signature is over.
    let signedBytes: [UInt8]
    let signature: [UInt8]

    /// Nil if it is malformed, or a part lacks a member.
    init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let header: Header = Self.decode(parts[0]),
            let claims: Claims = Self.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signedBytes = Array("\(parts[0]).\(parts[1])".utf8)
    }

    private static func decode<Part: Decodable>(_ part: some StringProtocol) -> Part? {
        Base64URL.decode(part).flatMap { try? ReceivedJSON.decode(Part.self, from: $0) }
    }
}
