import Crypto
import Foundation

/// What one message is encrypted with, and no other: a key pair and a salt (RFC 8291 §3.1, RFC 8188 §2.1).
package struct EphemeralKeys: Sendable {
    /// Bytes.
    package static let saltLength = 16
    private static let privateKeyLength = 32

    let privateKey: P256.KeyAgreement.PrivateKey
    let salt: [UInt8]

    /// Nil when the salt is not of 16 bytes.
    package init?(privateKey: P256.KeyAgreement.PrivateKey, salt: [UInt8]) {
        guard salt.count == Self.saltLength else { return nil }
        self.privateKey = privateKey
        self.salt = salt
    }

    /// - Parameter randomBytes: gives exactly as many unpredictable bytes as it is asked for.
    package init(randomBytes: (_ count: Int) -> [UInt8]) {
        privateKey = Self.key(from: randomBytes(Self.privateKeyLength))
        salt = randomBytes(Self.saltLength)
        precondition(salt.count == Self.saltLength, "a source of random bytes gave fewer than it was asked for")
    }

    /// One in four thousand million draws is no number that the curve takes; its digest then is.
    private static func key(from drawn: [UInt8]) -> P256.KeyAgreement.PrivateKey {
        var bytes = drawn
        while true {
            if let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: bytes) { return key }
            bytes = Array(SHA256.hash(data: bytes))
        }
    }
}
