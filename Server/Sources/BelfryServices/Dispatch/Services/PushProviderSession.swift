import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

/// An app at one push service for one round: its decrypted credentials, and its token, if it needs one.
protocol PushProviderSession: Sendable {
    associatedtype Template: PushRequestTemplate

    func sender(_ template: Template) -> any PushSender

    /// - Parameter routed: the request, and by which way it was sent.
    func outcome(of result: PushResult, to routed: RoutedRequest, now: Date) -> PushOutcome

    /// Whether what answers the request is the push service, and not what may be a stranger's.
    func believes(_ routed: RoutedRequest) -> Bool

    /// Called when the service reports the account's own token as expired. False when a new one would not help.
    func renew(now: Date) async -> Bool
}

extension PushProviderSession {
    /// The operator says where the service is.
    func believes(_ routed: RoutedRequest) -> Bool { true }

    /// The sender of one content to this push service.
    ///
    /// - Parameter content: with placeholders where texts differ by recipient.
    func sender(
        of content: PushContent, style: PushStyle, extras: PushExtras, format: PushFormat, campaign: CampaignID?,
        expiresAt: Date
    ) throws(PushRequestError) -> any PushSender {
        sender(
            try Template(
                content: content, style: style, extras: extras, format: format, campaign: campaign, expiresAt: expiresAt
            )
        )
    }
}

/// Builds the requests of one content for one push service.
protocol PushSender: Sendable {
    func request(_ message: OutgoingMessage, now: Date) throws(PushRequestError) -> RoutedRequest
}

/// The recipient's part of a message, in addition to the shared content.
struct OutgoingMessage: Sendable {
    let token: PushToken
    let id: MessageID
    /// The ``RecipientTag``.
    let mark: String
    /// By the number of their placeholder.
    let texts: [String]
    /// The device's badge after this campaign; required for a template with ``PushExtras/changesBadge``.
    var badge: Badge?
    /// A notification channel of the app on the device, if it is known.
    var channel: String?
}

/// A request and its route.
struct RoutedRequest: Sendable {
    let route: PushRoute
    let request: PushRequest
}
