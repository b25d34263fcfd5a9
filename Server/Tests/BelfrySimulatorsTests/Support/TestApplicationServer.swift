import BelfrySimulators
import BelfryTestSupport
import Crypto
import Foundation
import Testing

/// A sender of web pushes that signs and encrypts as the RFCs say, written once more for the tests.
struct TestApplicationServer: Sendable {
    let privateKey: P256.Signing.PrivateKey

    /// Servers with different bytes have different keys.
    init(byte: UInt8 = 1) throws {
        privateKey = try P256.Signing.PrivateKey(rawRepresentation: Data(repeating: byte, count: 32))
    }

    var applicationServerKey: String { base64URL(privateKey.publicKey.x963Representation) }

    /// RFC 8292 §3. Nil: without a contact. Further audiences make the token's a list.
    func authorization(
        audience: String,
        furtherAudiences: [String] = [],
        expiresAt: Date,
        subject: String? = "mailto:ops@example.org",
        algorithm: String = "ES256",
        key: String? = nil
    ) throws -> String {
        let contact = subject.map { #","sub":"\#($0)""# } ?? ""
        let header = #"{"typ":"JWT","alg":"\#(algorithm)"}"#
        let audiences = ([audience] + furtherAudiences).map { #""\#($0)""# }.joined(separator: ",")
        let aud = furtherAudiences.isEmpty ? audiences : "[\(audiences)]"
        let claims = #"{"aud":\#(aud),"exp":\#(Int(expiresAt.timeIntervalSince1970))\#(contact)}"#
        let signed = "\(base64URL(header.utf8)).\(base64URL(claims.utf8))"
        let signature = try privateKey.signature(for: Data(signed.utf8))
        return "vapid t=\(signed).\(base64URL(signature.rawRepresentation)), k=\(key ?? applicationServerKey)"
    }

    /// What may be wrong with an encrypted message.
    struct Flaws: Sendable {
        var recordSize: UInt32 = 4_096
        var delimiter: UInt8 = 2
        var padding = 0
    }

    /// RFC 8291 §3, one step after the other as §3.4 writes them.
    func encrypt(
        _ plaintext: [UInt8],
        for subscription: WebPushSimulator.Subscription,
        salt: UInt8 = 7,
        _ flaws: Flaws = Flaws()
    ) throws -> [UInt8] {
        let browserKey = try #require(Data(base64URL: subscription.p256dh))
        let secret = try #require(Data(base64URL: subscription.auth))
        let ephemeral = try P256.KeyAgreement.PrivateKey(rawRepresentation: Data(repeating: salt, count: 32))
        let ownKey = ephemeral.publicKey.x963Representation
        let shared = try ephemeral.sharedSecretFromKeyAgreement(with: .init(x963Representation: browserKey))
        let agreed = Self.hmac(secret, shared.withUnsafeBytes { Data($0) })
        let material = Self.hmac(agreed, Data("WebPush: info".utf8) + [0] + browserKey + ownKey + [1])
        let saltBytes = Data(repeating: salt, count: 16)
        let root = Self.hmac(saltBytes, material)
        let key = Self.hmac(root, Data("Content-Encoding: aes128gcm".utf8) + [0, 1]).prefix(16)
        let nonce = Self.hmac(root, Data("Content-Encoding: nonce".utf8) + [0, 1]).prefix(12)
        let padded = Data(plaintext) + [flaws.delimiter] + Data(repeating: 0, count: flaws.padding)
        let box = try AES.GCM.seal(padded, using: SymmetricKey(data: key), nonce: .init(data: nonce))
        let size = withUnsafeBytes(of: flaws.recordSize.bigEndian) { Data($0) }
        return Array(saltBytes + size + [65] + ownKey + box.ciphertext + box.tag)
    }

    private static func hmac(_ key: Data, _ message: Data) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: key)))
    }
}
