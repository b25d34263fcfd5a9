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

    /// Without the schedule and what the push service says: whether the device may get a push at all.
    ///
    /// - Parameter providers: the push services that the app has credentials for.
    static func decide(_ recipient: Recipient, now: Date, providers: Set<PushProvider>) -> RecipientDecision {
        if let retryAt = recipient.retryAt, retryAt > now { return .later }
        let consent = DeviceConsent(
            hasToken: recipient.pushToken != nil, pushEnabled: recipient.pushEnabled ?? true,
            osPushEnabled: recipient.osPushEnabled,
            // Wrong credentials are the operator's fault, not the device's: its send is tried (REG-33).
            optOut: recipient.optOut?.reason == .providerAuthentication ? nil : recipient.optOut
        )
        if let reason = consent.suppression { return .suppress(reason) }
        guard let token = recipient.pushToken else { return .suppress(.noToken) }
        guard providers.contains(token.provider) else { return .suppress(.noCredentials) }
        return .send(token)
    }
}
