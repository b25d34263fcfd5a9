import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

/// An app's session at one push service for one round: its decrypted credentials, and its token if the service needs
/// one.
protocol PushProviderSession: Sendable {
    associatedtype Template: PushRequestTemplate

    func sender(_ template: Template) -> any PushSender

    /// - Parameter routed: the request and its route.
    func outcome(of result: PushResult, to routed: RoutedRequest, now: Date) -> PushOutcome

    /// Whether the request goes to the push service itself, and not to a host that anybody may run.
    func believes(_ routed: RoutedRequest) -> Bool

    /// Called when the service reports the account's own token as expired. False when a new one would not help.
    func renew(now: Date) async -> Bool
}

extension PushProviderSession {
    /// Always true: the operator configures the service's address.
    func believes(_ routed: RoutedRequest) -> Bool { true }

    /// The sender of one content to this push service.
    ///
    /// - Parameter content: has placeholders where texts differ by recipient.
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
    /// The ``RecipientTag`` of the push.
    let mark: String
    /// The texts, by the number of their placeholder.
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
