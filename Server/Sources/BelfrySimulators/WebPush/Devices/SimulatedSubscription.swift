import Crypto

/// What the push service knows of a subscription, and what its browser keeps to itself.
struct SimulatedSubscription: Sendable {
    var state: WebPushSubscriptionState
    /// An uncompressed point of P-256; nil: anybody may push.
    var applicationServerKey: [UInt8]?
    /// Nil: a browser of its own has them (WEB-7).
    var keys: WebPushKeys?

    /// The key of an application server, of a text in base64url.
    static func serverKey(_ text: String) throws(SimulatorError) -> [UInt8] {
        guard let bytes = SimulatorBase64URL.decode(text), bytes.count == 65,
            (try? P256.Signing.PublicKey(x963Representation: bytes)) != nil
        else {
            throw SimulatorError(
                .invalidValue,
                field: "applicationServerKey",
                "is not an uncompressed point of P-256 in base64url"
            )
        }
        return bytes
    }
}

/// What the push service thinks of a subscription that it made.
public enum WebPushSubscriptionState: String, Sendable, Codable, CaseIterable {
    /// Pushes from its application server are accepted.
    case valid
    /// 410: the person or the browser ended it.
    case unsubscribed
    /// 404: it expired.
    case expired
}

/// The keys that a browser makes for one subscription (RFC 8291 §3.1, §3.2). Bytes and not key objects: a simulator
/// may hold a million.
struct WebPushKeys: Sendable, Equatable {
    /// A scalar of P-256, 32 bytes.
    let privateKey: [UInt8]
    /// An uncompressed point of P-256, 65 bytes.
    let publicKey: [UInt8]
    /// 16 bytes.
    let authenticationSecret: [UInt8]

    /// Nil if the bytes are no private key.
    init?(privateKey: [UInt8], authenticationSecret: [UInt8]) {
        guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: privateKey) else { return nil }
        self.privateKey = privateKey
        publicKey = Array(key.publicKey.x963Representation)
        self.authenticationSecret = authenticationSecret
    }

    /// All but one of some 2^32 draws are a private key; that one is drawn again.
    init(_ random: RandomSource) {
        let secret = Array(random.bytes().prefix(16))
        var keys: WebPushKeys?
        while keys == nil {
            keys = WebPushKeys(privateKey: random.bytes(), authenticationSecret: secret)
        }
        // The loop ends with keys.
        self = keys!
    }
}
