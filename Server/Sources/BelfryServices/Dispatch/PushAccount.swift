import BelfryModel
import BelfryPush
import Foundation

/// An app at one push service for the time of one round: its credentials, opened, and its token, if it needs one.
protocol PushAccount: Sendable {
    /// What sends one content to this push service.
    ///
    /// - Parameter content: with gaps where texts differ by recipient.
    func sender(
        of content: PushContent, style: PushStyle, extras: PushExtras, campaign: CampaignID?, expiresAt: Date
    ) throws(PushRequestFault) -> any PushSender

    func outcome(of result: PushResult, now: Date) -> PushOutcome

    /// The service called the account's own token expired: the next one is new. False when that would be no better.
    func renew(now: Date) async -> Bool
}

/// Makes the requests of one content to one push service.
protocol PushSender: Sendable {
    func request(_ message: OutgoingMessage, now: Date) throws(PushRequestFault) -> RoutedRequest
}

/// What goes to one recipient, beside what all recipients share.
struct OutgoingMessage: Sendable {
    let token: PushToken
    let id: MessageID
    /// The ``RecipientMark``.
    let mark: String
    /// By the number of their gap.
    let texts: [String]
    /// The device's badge after this campaign; needed by what was made with ``PushExtras/changesBadge``.
    var badge: Badge?
}

/// A request and where it goes.
struct RoutedRequest: Sendable {
    let route: PushRoute
    let request: PushRequest
}
