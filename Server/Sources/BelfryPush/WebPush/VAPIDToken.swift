import Crypto
import Foundation

/// The token by which a push service identifies the sender (RFC 8292): a JSON Web Token for the service's origin,
/// signed with the app's key.
package struct VAPIDToken: Sendable {
    /// The lifetime in seconds. A push service rejects more than 24 hours; half of that tolerates clocks that differ.
    package static let lifetime: TimeInterval = 12 * 3_600
    /// The remaining lifetime in seconds that a token must have to be used.
    package static let margin: TimeInterval = 3_600
    /// The maximum remaining lifetime in seconds. A token with more shows that the clock was set back.
    private static let maximumLeft: TimeInterval = 23 * 3_600

    /// The value of the header field `authorization`.
    package let authorization: String
    package let expiresAt: Date

    /// - Parameter origin: the origin of the push service, from ``WebPushSubscription``.
    package init(credentials: WebPushCredentials, origin: PushEndpoint, now: Date) {
        expiresAt = now.addingTimeInterval(Self.lifetime)
        let expiry = Int64(expiresAt.timeIntervalSince1970.rounded(.down))
        // Origin and subject contain only letters that need no escape (PushEndpoint, WebPushCredentials).
        let claims = #"{"aud":"\#(origin)","exp":\#(expiry),"sub":"\#(credentials.subject)"}"#
        let signed = "\(Self.header).\(Base64URL.encode(claims.utf8))"
        // Signing fails only for an invalid key, and this one was parsed.
        let signature = try! credentials.privateKey.signature(for: Data(signed.utf8))
        let token = "\(signed).\(Base64URL.encode(signature.rawRepresentation))"
        authorization = "vapid t=\(token), k=\(credentials.publicKey)"
    }

    /// Whether the token may still be used; if not, a new one is needed.
    package func serves(at now: Date) -> Bool {
        (Self.margin...Self.maximumLeft).contains(expiresAt.timeIntervalSince(now))
    }

    private static let header = Base64URL.encode(#"{"alg":"ES256","typ":"JWT"}"#.utf8)
}
