import Crypto

/// The push service's knowledge of a subscription, and the browser's secrets.
struct SimulatedSubscription: Sendable {
    var state: WebPushSubscriptionState
    /// An uncompressed point of P-256; nil: anybody may push.
    var applicationServerKey: [UInt8]?
    /// Nil: a real browser has the keys (WEB-7).
    var keys: WebPushKeys?

    /// The key of an application server, from base64url.
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

/// The state of a subscription in the push service.
public enum WebPushSubscriptionState: String, Sendable, Codable, CaseIterable {
    /// Pushes from its application server are accepted.
    case valid
    /// 410: the person or the browser ended the subscription.
    case unsubscribed
    /// 404: the subscription has expired.
    case expired
}

/// The keys of a browser for one subscription (RFC 8291 §3.1, §3.2), as bytes instead of key objects, because a
/// simulator may hold a million.
struct WebPushKeys: Sendable, Equatable {
    /// A scalar of P-256, 32 bytes.
    let privateKey: [UInt8]
    /// An uncompressed point of P-256, 65 bytes.
    let publicKey: [UInt8]
    /// 16 bytes.
    let authenticationSecret: [UInt8]

    /// Nil if the bytes are not a private key.
    init?(privateKey: [UInt8], authenticationSecret: [UInt8]) {
        guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: privateKey) else { return nil }
        self.privateKey = privateKey
        publicKey = Array(key.publicKey.x963Representation)
        self.authenticationSecret = authenticationSecret
    }

    /// Draws keys. About one of 2^32 draws is not a private key; it is repeated.
    init(_ random: RandomSource) {
        let secret = Array(random.bytes().prefix(16))
        var keys: WebPushKeys?
        while keys == nil {
            keys = WebPushKeys(privateKey: random.bytes(), authenticationSecret: secret)
        }
        // The loop only ends when it has keys.
        self = keys!
    }
}
