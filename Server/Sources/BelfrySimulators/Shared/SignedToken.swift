import Foundation
import Synchronization

/// A JWT (RFC 7519) in the compact form of RFC 7515 §3.1. Its signature is not checked yet.
struct SignedToken<Header: Decodable, Claims: Decodable> {
    let header: Header
    let claims: Claims
    /// The bytes that the signature covers.
    let signedBytes: [UInt8]
    let signature: [UInt8]

    /// Nil if the token is malformed, or a part lacks a member.
    init?(_ text: some StringProtocol) {
        let parts = String(text).utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { Substring($0) }
        guard parts.count == 3,
            let header: Header = Self.decode(parts[0]),
            let claims: Claims = Self.decode(parts[1]),
            let signature = SimulatorBase64URL.decode(parts[2])
        else { return nil }
        self.header = header
        self.claims = claims
        self.signature = signature
        signedBytes = Array("\(parts[0]).\(parts[1])".utf8)
    }

    private static func decode<Part: Decodable>(_ part: some StringProtocol) -> Part? {
        SimulatorBase64URL.decode(part).flatMap { try? ReceivedJSON.decode(Part.self, from: $0) }
    }
}

/// `aud` of a JWT: one text, or a list of them (RFC 7519 §4.1.3).
struct TokenAudience: Decodable {
    let values: [String]

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let one = try? container.decode(String.self) {
            values = [one]
        } else {
            values = try container.decode([String].self)
        }
    }
}

/// The content of signed texts with valid signatures: each is verified once, whatever the number of connections that
/// use it.
final class VerifiedTexts<Content: Sendable>: Sendable {
    /// The maximum number of remembered texts; beyond it, all are forgotten and verified again.
    static var limit: Int { 1_000 }

    private let known = Mutex<[String: Content]>([:])

    /// What `text` holds, if `verify` finds it good.
    func content<Failure: Error>(of text: String, verify: (String) throws(Failure) -> Content) throws(Failure)
        -> Content
    {
        if let content = known.withLock({ $0[text] }) { return content }
        // To check a signature takes long, so the lock is not held meanwhile.
        let content = try verify(text)
        known.withLock { known in
            if known.count >= Self.limit { known = [:] }
            known[text] = content
        }
        return content
    }
}
