import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation
import Synchronization

/// An app's account at all browsers' push services.
struct WebPushSession: PushProviderSession {
    let account: WebPushAccount
    let randomBytes: @Sendable (_ count: Int) -> [UInt8]

    func sender(_ template: WebPushRequestTemplate) -> any PushSender {
        WebPushSender(template: template, account: account, randomBytes: randomBytes)
    }

    func outcome(of result: PushResult, now: Date) -> PushOutcome {
        WebPushResponse.outcome(of: result, now: now)
    }

    /// Always false: the VAPID token is renewed long before it expires, so an expired one means a wrong server clock.
    func renew(now: Date) async -> Bool { false }
}

private struct WebPushSender: PushSender {
    /// The shared part of all requests to one push service.
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

    func request(_ message: OutgoingMessage, now: Date) throws(PushRequestError) -> RoutedRequest {
        let subscription: WebPushSubscription
        let origin: Origin
        do {
            subscription = try WebPushSubscription(token: message.token.value)
            origin = try self.origin(subscription.endpoint, now: now)
        } catch {
            // It was valid when it was registered, but is not any more by the current rules.
            throw PushRequestError.tokenMalformed
        }
        let request = try template.request(
            subscription: subscription, message: message.id, recipient: message.mark, texts: message.texts,
            badge: message.badge, now: now, keys: EphemeralKeys(randomBytes: randomBytes), common: origin.common
        )
        return RoutedRequest(route: origin.route, request: request)
    }

    /// Created once per round; the VAPID token in it is valid for hours.
    private func origin(_ endpoint: PushEndpoint, now: Date) throws(ValueError) -> Origin {
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

    /// At most one for each recipient of the batch.
    private final class Origins: Sendable {
        let known = Mutex<[PushEndpoint: Origin]>([:])
    }
}
