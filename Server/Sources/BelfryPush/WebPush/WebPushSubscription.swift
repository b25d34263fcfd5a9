import BelfryModel
import Crypto

/// A ``BrowserSubscription`` to which pushes can be sent, read from the stored text of the push token.
package struct WebPushSubscription: Sendable {
    /// The length in bytes of an uncompressed point on P-256.
    static let publicKeyLength = 65
    /// The length in bytes of the secret `auth` (RFC 8291 §3.2).
    static let secretLength = 16

    /// The origin of the push service.
    package let endpoint: PushEndpoint
    /// The rest of the endpoint's URL: path and query.
    package let path: String
    /// `p256dh`: the browser's public key.
    let publicKey: P256.KeyAgreement.PublicKey
    /// `auth`: the subscription's secret.
    let secret: [UInt8]

    package init(token: String) throws(ValueError) {
        guard let subscription = BrowserSubscription(text: token) else {
            throw Self.valueError("It is not a subscription object.")
        }
        let address = try WebAddress(subscription.endpoint)
        guard address.isSecure else {
            throw ValueError(code: "notHTTPS", message: "The endpoint of a subscription begins with 'https://'.")
        }
        endpoint = try PushEndpoint(address.origin)
        path = address.path
        guard let point = Self.bytes(subscription.keys.p256dh), point.count == Self.publicKeyLength,
            let key = try? P256.KeyAgreement.PublicKey(x963Representation: point)
        else {
            throw Self.valueError("Its 'keys.p256dh' is not an uncompressed point on the curve P-256 in base64url.")
        }
        publicKey = key
        guard let secret = Self.bytes(subscription.keys.auth), secret.count == Self.secretLength else {
            throw Self.valueError("Its 'keys.auth' does not have \(Self.secretLength) bytes in base64url.")
        }
        self.secret = secret
    }

    /// The decoded bytes. Browsers write base64url; pages that encode the keys themselves often write plain base64.
    private static func bytes(_ text: String) -> [UInt8]? {
        let letters = text.utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return Base64URL.decode(utf8: letters[...])
    }

    private static func valueError(_ what: String) -> ValueError {
        ValueError(
            code: "invalidSubscription",
            message: "\(what) Allowed is the result of PushSubscription.toJSON(): 'endpoint', and 'keys' with 'p256dh' "
                + "and 'auth'."
        )
    }
}

extension WebPushSubscription: CustomStringConvertible {
    /// A description without path and keys, because with them one can send (SEC-3).
    package var description: String { "Web Push subscription at \(endpoint.host)" }
}
