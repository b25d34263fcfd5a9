import BelfryCampaigns
import BelfryModel
import BelfryStore
import Foundation

/// What to do about one recipient of a batch. It is decided when the send is due, so that a device that opted out after
/// the launch gets nothing.
enum RecipientDecision: Hashable, Sendable {
    case send(PushToken)
    case suppress(DeliveryReason)
    /// Not yet due again.
    case later

    /// Whether the device may get a push at all, regardless of the schedule.
    ///
    /// - Parameter providers: the push services that the app has credentials for.
    static func decide(_ recipient: Recipient, now: Date, providers: Set<PushProvider>) -> RecipientDecision {
        if let retryAt = recipient.retryAt, retryAt > now { return .later }
        if let reason = recipient.consent.suppression { return .suppress(reason) }
        guard let token = recipient.pushToken else { return .suppress(.noToken) }
        guard providers.contains(token.provider) else { return .suppress(.noCredentials) }
        return .send(token)
    }
}
