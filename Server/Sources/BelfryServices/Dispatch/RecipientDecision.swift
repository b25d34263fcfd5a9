import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// What to do about one recipient of a batch, decided when the send is due and not before: who opted out since the
/// launch gets nothing.
enum RecipientDecision: Hashable, Sendable {
    case send(PushToken)
    case suppress(DeliveryReason)
    /// Not yet due again.
    case later

    /// - Parameter expiresAt: when the message loses its worth; nil when it is worth one try at any time.
    static func decide(_ recipient: Recipient, now: Date, expiresAt: Date?) -> RecipientDecision {
        if let retryAt = recipient.retryAt, retryAt > now { return .later }
        let consent = DeviceConsent(
            hasToken: recipient.pushToken != nil, pushEnabled: recipient.pushEnabled ?? true,
            osPushEnabled: recipient.osPushEnabled,
            // Wrong credentials are the operator's fault, not the device's: its send is tried (REG-33).
            optOut: recipient.optOut?.reason == .providerAuthentication ? nil : recipient.optOut
        )
        if let reason = consent.suppression { return .suppress(reason) }
        guard let token = recipient.pushToken else { return .suppress(.noToken) }
        guard token.provider == .apns else { return .suppress(.noCredentials) }
        if let expiresAt, now > expiresAt { return .suppress(.expired) }
        return .send(token)
    }
}
