import BelfryPush
import BelfryTestSupport
import Crypto
import Foundation
import Testing

/// The other end of a Web Push message: a browser with its keys. It decrypts by the steps of RFC 8188 §2 and RFC 8291
/// §3.4 written out with HMAC, apart from the code under test.
struct DecryptingBrowser {
    let privateKey: P256.KeyAgreement.PrivateKey
    let secret: [UInt8]
    var endpoint = "https://push.example.com/send/abc?x=1"

    init(privateKey: P256.KeyAgreement.PrivateKey = P256.KeyAgreement.PrivateKey(), secret: [UInt8] = Array(1...16)) {
        self.privateKey = privateKey
        self.secret = secret
    }

    var token: String {
        let key = base64URL(privateKey.publicKey.x963Representation)
        return #"{"endpoint":"\#(endpoint)","keys":{"auth":"\#(base64URL(secret))","p256dh":"\#(key)"}}"#
    }

    func subscription() throws -> WebPushSubscription {
        try WebPushSubscription(token: token)
    }

    func decrypt(_ body: [UInt8]) throws -> [UInt8] {
        let salt = Array(body[0..<16])
        let recordSize = body[16..<20].reduce(0) { $0 << 8 | Int($1) }
        let keyLength = Int(body[20])
        try #require(keyLength == 65)
        let senderKey = Array(body[21..<21 + keyLength])
        let record = Array(body[(21 + keyLength)...])
        try #require(record.count <= recordSize, "there is but one record")

        let sender = try P256.KeyAgreement.PublicKey(x963Representation: senderKey)
        let shared = try privateKey.sharedSecretFromKeyAgreement(with: sender).withUnsafeBytes { Array($0) }
        let own = Array(privateKey.publicKey.x963Representation)
        let info = Array("WebPush: info".utf8) + [0] + own + senderKey
        let material = Self.hmac(Self.hmac(secret, shared), info + [1])
        let extracted = Self.hmac(salt, material)
        let key = Self.hmac(extracted, Array("Content-Encoding: aes128gcm".utf8) + [0, 1]).prefix(16)
        let nonce = Self.hmac(extracted, Array("Content-Encoding: nonce".utf8) + [0, 1]).prefix(12)

        let box = try AES.GCM.SealedBox(combined: nonce + record)
        let padded = Array(try AES.GCM.open(box, using: SymmetricKey(data: key)))
        let end = try #require(padded.lastIndex { $0 != 0 })
        try #require(padded[end] == 2, "the delimiter of the last record")
        return Array(padded[..<end])
    }

    static func hmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }

    static func bytes(_ text: String) throws -> [UInt8] {
        Array(try #require(Data(base64URL: text)))
    }
}
