import BelfryModel
import BelfryPush
import Foundation
import Synchronization

/// An app's account at all browsers' push services.
struct WebPushSending: PushAccount {
    let account: WebPushAccount
    let randomBytes: @Sendable (_ count: Int) -> [UInt8]

    func sender(
        of content: PushContent, style: PushStyle, extras: PushExtras, campaign: CampaignID?, expiresAt: Date
    ) throws(PushRequestFault) -> any PushSender {
        let template = try WebPushRequestTemplate(
            content: content, style: style, extras: extras, campaign: campaign, expiresAt: expiresAt
        )
        return WebPushSender(template: template, account: account, randomBytes: randomBytes)
    }

    func outcome(of result: PushResult, now: Date) -> PushOutcome {
        WebPushAnswer.outcome(of: result, now: now)
    }

    /// Its proof is renewed long before it ends: one that is called expired tells of this server's clock.
    func renew(now: Date) async -> Bool { false }
}

private struct WebPushSender: PushSender {
    /// What all requests to one push service share.
    struct Origin {
        let route: PushRoute
        let common: CommonHeaders
    }

    let template: WebPushRequestTemplate
    let account: WebPushAccount
    let randomBytes: @Sendable (_ count: Int) -> [UInt8]
    private let origins = Origins()

    init(
        template: WebPushRequestTemplate, account: WebPushAccount,
        randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8]
    ) {
        self.template = template
        self.account = account
        self.randomBytes = randomBytes
    }

    func request(_ message: OutgoingMessage, now: Date) throws(PushRequestFault) -> RoutedRequest {
        let subscription: WebPushSubscription
        let origin: Origin
        do {
            subscription = try WebPushSubscription(token: message.token.value)
            origin = try self.origin(subscription.endpoint, now: now)
        } catch {
            // It was one when it came, and is none by today's rules.
            throw PushRequestFault.tokenMalformed
        }
        let request = try template.request(
            subscription: subscription, message: message.id, recipient: message.mark, texts: message.texts,
            badge: message.badge, now: now, keys: EphemeralKeys(randomBytes: randomBytes), common: origin.common
        )
        return RoutedRequest(route: origin.route, request: request)
    }

    /// Made once for a round: its proof lasts for hours.
    private func origin(_ endpoint: PushEndpoint, now: Date) throws(Refusal) -> Origin {
        if let known = origins.known.withLock({ $0[endpoint] }) { return known }
        let origin = Origin(
            route: PushRoute(
                sender: account.credentials.publicKey, endpoint: endpoint, trustRoots: account.credentials.trustRoots,
                isFromDevice: true
            ),
            common: template.commonHeaders(authorization: try account.authorization(for: endpoint, now: now))
        )
        origins.known.withLock { $0[endpoint] = origin }
        return origin
    }

    /// As many as a batch has recipients at most.
    private final class Origins: Sendable {
        let known = Mutex<[PushEndpoint: Origin]>([:])
    }
}
