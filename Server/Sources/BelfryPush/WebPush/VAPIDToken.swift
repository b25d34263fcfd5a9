import Crypto
import Foundation

/// How one push service knows the sender (RFC 8292): a JSON Web Token for its origin, signed with the app's key.
package struct VAPIDToken: Sendable {
    /// Seconds. A push service refuses more than 24 hours; half of them leave room for clocks that differ.
    package static let lifetime: TimeInterval = 12 * 3_600
    /// Seconds that a token must have left to be sent with.
    package static let margin: TimeInterval = 3_600
    /// Seconds until the end of a token, beyond which it is too far ahead, for the clock was set back.
    private static let maximumLeft: TimeInterval = 23 * 3_600

    /// The value of the header field `authorization`.
    package let authorization: String
    package let expiresAt: Date

    /// - Parameter origin: the push service's, as ``WebPushSubscription`` gives it.
    package init(credentials: WebPushCredentials, origin: PushEndpoint, now: Date) {
        expiresAt = now.addingTimeInterval(Self.lifetime)
        let expiry = Int64(expiresAt.timeIntervalSince1970.rounded(.down))
        // Origin and subject are of letters that need no escape (PushEndpoint, WebPushCredentials).
        let claims = #"{"aud":"\#(origin)","exp":\#(expiry),"sub":"\#(credentials.subject)"}"#
        let signed = "\(Self.header).\(Base64URL.encode(claims.utf8))"
        // Signing fails only for a key that is none, and this one was parsed.
        let signature = try! credentials.privateKey.signature(for: Data(signed.utf8))
        let token = "\(signed).\(Base64URL.encode(signature.rawRepresentation))"
        authorization = "vapid t=\(token), k=\(credentials.publicKey)"
    }

    /// Whether to send with it still; if not, it is time for another.
    package func serves(at now: Date) -> Bool {
        (Self.margin...Self.maximumLeft).contains(expiresAt.timeIntervalSince(now))
    }

    private static let header = Base64URL.encode(#"{"alg":"ES256","typ":"JWT"}"#.utf8)
}
