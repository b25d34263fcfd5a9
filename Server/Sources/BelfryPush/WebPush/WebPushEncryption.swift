import Crypto
import Foundation

/// Encrypts a message for one subscription, so that the push service cannot read it: RFC 8291 over the content coding
/// `aes128gcm` (RFC 8188), in one record.
package enum WebPushEncryption {
    /// The maximum size in bytes of a body that every push service accepts (RFC 8291 §4).
    package static let maximumBody = 4_096
    /// The maximum size in bytes of a message that fits into such a body.
    package static let maximumPlaintext = maximumBody - headerLength - 1 - tagLength

    private static let recordSize: UInt32 = 4_096
    /// The length in bytes of salt, record size, key length and key (RFC 8188 §2.1).
    private static let headerLength = EphemeralKeys.saltLength + 4 + 1 + WebPushSubscription.publicKeyLength
    private static let tagLength = 16
    /// The delimiter of the last record (RFC 8188 §2).
    private static let lastRecord: UInt8 = 2

    package static func body(
        of message: [UInt8], for subscription: WebPushSubscription, keys: EphemeralKeys
    ) throws(PushRequestError) -> [UInt8] {
        guard message.count <= maximumPlaintext else { throw .payloadTooLarge(bytes: message.count) }
        let publicKey = keys.privateKey.publicKey.x963Representation
        do {
            let material = try inputKeyMaterial(for: subscription, keys: keys, publicKey: publicKey)
            let key = derive("Content-Encoding: aes128gcm\0", 16, from: material, salt: keys.salt)
            let nonce = derive("Content-Encoding: nonce\0", 12, from: material, salt: keys.salt)
            let sealed = try AES.GCM.seal(
                message + [lastRecord], using: key, nonce: AES.GCM.Nonce(data: nonce.withUnsafeBytes { Data($0) })
            )
            var body: [UInt8] = []
            body.reserveCapacity(headerLength + sealed.ciphertext.count + tagLength)
            body += keys.salt
            withUnsafeBytes(of: recordSize.bigEndian) { body += $0 }
            body.append(UInt8(publicKey.count))
            body += publicKey
            body += sealed.ciphertext
            body += sealed.tag
            return body
        } catch {
            // Both keys were parsed, so an error here means that the subscription is invalid.
            throw .tokenMalformed
        }
    }

    /// The secret that both sides share, bound to both keys and to the subscription's own secret (RFC 8291 §3.4).
    private static func inputKeyMaterial(
        for subscription: WebPushSubscription, keys: EphemeralKeys, publicKey: Data
    ) throws -> SymmetricKey {
        let shared = try keys.privateKey.sharedSecretFromKeyAgreement(with: subscription.publicKey)
        return shared.hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: subscription.secret,
            sharedInfo: Array("WebPush: info\0".utf8) + subscription.publicKey.x963Representation + publicKey,
            outputByteCount: 32
        )
    }

    private static func derive(
        _ info: String, _ count: Int, from material: SymmetricKey, salt: [UInt8]
    ) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: material, salt: salt, info: Array(info.utf8), outputByteCount: count
        )
    }
}
