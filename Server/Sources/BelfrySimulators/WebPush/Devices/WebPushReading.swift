import Crypto
import Foundation

/// How browsers read pushes.
struct WebPushReading: Sendable {
    var opens: Bool
    var messageIDPath: [String]

    /// The content of a body, and the sender's own id in it.
    func read(_ body: [UInt8], _ keys: WebPushKeys?) -> (payload: WebPushPayload, messageID: String?) {
        guard !body.isEmpty else { return (.none, nil) }
        guard opens, let keys else { return (.sealed(body), nil) }
        do throws(WebPushUnreadable) {
            let message = try WebPushDecryption.open(body, keys)
            let members = JSONValue.object(from: message)
            return (.message(message), members.flatMap { JSONValue.object($0).text(at: messageIDPath[...]) })
        } catch {
            return (.unreadable(error), nil)
        }
    }
}

/// Decrypts a push message as a browser does (RFC 8291 §3.4, with the coding of RFC 8188 §2).
enum WebPushDecryption {
    private static let headerSize = 16 + 4 + 1
    private static let keySize = 65
    private static let tagSize = 16

    /// The content of a body in `aes128gcm`.
    static func open(_ body: [UInt8], _ keys: WebPushKeys) throws(WebPushUnreadable) -> [UInt8] {
        guard body.count >= headerSize, Int(body[20]) == keySize, body.count > headerSize + keySize + tagSize else {
            throw .badHeader
        }
        let salt = body[0..<16]
        let recordSize = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        let senderKey = Array(body[headerSize..<headerSize + keySize])
        let record = body[(headerSize + keySize)...]
        // RFC 8291 §4: one record, which the record size must hold; RFC 8188 §2: never less than 18.
        guard recordSize >= 18, record.count <= recordSize else { throw .badRecordSize }
        let secret = try agree(keys, senderKey)
        let (key, nonceBytes) = derive(salt: salt, secret)
        guard let nonce = try? AES.GCM.Nonce(data: nonceBytes),
            let box = try? AES.GCM.SealedBox(
                nonce: nonce,
                ciphertext: record.dropLast(tagSize),
                tag: record.suffix(tagSize)
            ),
            let padded = try? AES.GCM.open(box, using: key)
        else { throw .notAuthentic }
        return try unpad(Array(padded))
    }

    /// The input keying material (RFC 8291 §3.3), derived from both sides' keys and the authentication secret.
    private static func agree(
        _ keys: WebPushKeys,
        _ senderKey: [UInt8]
    ) throws(WebPushUnreadable) -> SymmetricKey {
        guard let privateKey = try? P256.KeyAgreement.PrivateKey(rawRepresentation: keys.privateKey),
            let publicKey = try? P256.KeyAgreement.PublicKey(x963Representation: senderKey),
            let shared = try? privateKey.sharedSecretFromKeyAgreement(with: publicKey)
        else { throw .badKey }
        return shared.hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: keys.authenticationSecret,
            sharedInfo: Array("WebPush: info".utf8) + [0] + keys.publicKey + senderKey,
            outputByteCount: 32
        )
    }

    /// The content encryption key and the nonce of the first record (RFC 8188 §2.2, §2.3).
    private static func derive(salt: ArraySlice<UInt8>, _ secret: SymmetricKey) -> (SymmetricKey, [UInt8]) {
        func expand(_ purpose: String, _ count: Int) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: secret,
                salt: salt,
                info: Array("Content-Encoding: \(purpose)".utf8) + [0],
                outputByteCount: count
            )
        }
        return (expand("aes128gcm", 16), expand("nonce", 12).withUnsafeBytes { Array($0) })
    }

    /// Removes the padding. RFC 8188 §2: the last record ends with the delimiter 2 and any number of zeros.
    private static func unpad(_ padded: [UInt8]) throws(WebPushUnreadable) -> [UInt8] {
        guard let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == 2 else { throw .badPadding }
        return Array(padded[..<end])
    }
}
