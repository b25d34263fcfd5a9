import Crypto
import Foundation

/// The key pair and the salt with which exactly one message is encrypted (RFC 8291 §3.1, RFC 8188 §2.1).
package struct EphemeralKeys: Sendable {
    /// The length of the salt in bytes.
    package static let saltLength = 16
    private static let privateKeyLength = 32

    let privateKey: P256.KeyAgreement.PrivateKey
    let salt: [UInt8]

    /// Nil when the salt does not have 16 bytes.
    package init?(privateKey: P256.KeyAgreement.PrivateKey, salt: [UInt8]) {
        guard salt.count == Self.saltLength else { return nil }
        self.privateKey = privateKey
        self.salt = salt
    }

    /// - Parameter randomBytes: returns exactly the requested number of unpredictable bytes.
    package init(randomBytes: (_ count: Int) -> [UInt8]) {
        privateKey = Self.key(from: randomBytes(Self.privateKeyLength))
        salt = randomBytes(Self.saltLength)
        precondition(salt.count == Self.saltLength, "a source of random bytes gave fewer than it was asked for")
    }

    /// The private key. One in four thousand million draws is not a valid number on the curve; then its digest is used.
    private static func key(from drawn: [UInt8]) -> P256.KeyAgreement.PrivateKey {
        var bytes = drawn
        while true {
            if let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: bytes) { return key }
            bytes = Array(SHA256.hash(data: bytes))
        }
    }
}
