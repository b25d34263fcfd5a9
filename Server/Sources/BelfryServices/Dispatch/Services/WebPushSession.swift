import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation
import Synchronization

/// An app's account at all browsers' push services.
struct WebPushSession: PushProviderSession {
    let account: WebPushAccount
    let randomBytes: @Sendable (_ count: Int) -> [UInt8]
    /// Whether requests are only judged: they are not encrypted, which takes most of the time, and not sent.
    var isRehearsed = false

    func sender(_ template: WebPushRequestTemplate) -> any PushSender {
        WebPushSender(template: template, account: account, randomBytes: randomBytes, isRehearsed: isRehearsed)
    }

    /// Anybody may run a host that a subscription names, or name an address at a known one. So a rejection of the
    /// credentials there counts against that subscription only. Otherwise a single browser could pause all campaigns
    /// (REG-33).
    func outcome(of result: PushResult, to routed: RoutedRequest, now: Date) -> PushOutcome {
        let isBelieved = believes(routed)
        let outcome = WebPushResponse.outcome(of: result, now: now, keepsWord: isBelieved)
        let endpoint = routed.route.endpoint
        if routed.route.isAtUnknownHost, case .answered = result { account.noteResponse(of: endpoint) }
        switch outcome {
        case .accepted:
            if WebPushHosts.isOfBrowsers(endpoint.host, path: routed.request.path) {
                account.proofs.note(endpoint, at: now)
            }
            return outcome
        case .credentialError(let reason):
            let isOfSubscription =
                !isBelieved || account.proofs.has(endpoint, at: now)
                || Self.namesSubscription(result, by: endpoint)
            return isOfSubscription ? .topicError(reason: reason) : outcome
        default:
            return outcome
        }
    }

    /// Whether the response says that the subscription belongs to another sender: Edge's service uses 403 only for
    /// that.
    private static func namesSubscription(_ result: PushResult, by endpoint: PushEndpoint) -> Bool {
        guard case .answered(let response) = result else { return false }
        return response.status == 403 && WebPushHosts.edge.lists(endpoint.host)
    }

    func believes(_ routed: RoutedRequest) -> Bool {
        account.believes(routed.route.endpoint, path: routed.request.path)
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
    let isRehearsed: Bool
    private let origins = Origins()

    init(
        template: WebPushRequestTemplate, account: WebPushAccount,
        randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8], isRehearsed: Bool
    ) {
        self.template = template
        self.account = account
        self.randomBytes = randomBytes
        self.isRehearsed = isRehearsed
    }

    func request(_ message: OutgoingMessage, now: Date) throws(PushRequestError) -> RoutedRequest {
        let subscription: WebPushSubscription
        let origin: Origin
        do {
            subscription = try WebPushSubscription(token: message.token.value)
            origin = try self.origin(subscription.endpoint, now: now)
        } catch {
            // The token was valid when it was registered, but the present rules do not allow it.
            throw PushRequestError.tokenMalformed
        }
        if isRehearsed {
            let body = try template.payload.payload(
                sid: message.id.text, recipient: message.mark, texts: message.texts, badge: message.badge
            )
            let request = PushRequest(path: subscription.path, common: origin.common, fields: [], body: body)
            return RoutedRequest(route: origin.route, request: request)
        }
        let request = try template.request(
            subscription: subscription, message: message.id, recipient: message.mark, texts: message.texts,
            badge: message.badge, now: now, keys: EphemeralKeys(randomBytes: randomBytes), common: origin.common
        )
        return RoutedRequest(route: origin.route, request: request)
    }

    /// The shared part for a push service, created once per round. Its VAPID token is valid for hours.
    private func origin(_ endpoint: PushEndpoint, now: Date) throws(ValueError) -> Origin {
        if let known = origins.known.withLock({ $0[endpoint] }) { return known }
        let isAtUnknownHost = !account.knows(endpoint)
        let origin = Origin(
            route: PushRoute(
                sender: account.credentials.publicKey, provider: .webpush, endpoint: endpoint,
                trustRoots: account.credentials.trustRoots, isFromDevice: true,
                isAtUnknownHost: isAtUnknownHost, isUnproven: isAtUnknownHost && account.knowsByResponse(endpoint)
            ),
            common: template.commonHeaders(authorization: try account.authorization(for: endpoint, now: now))
        )
        origins.known.withLock { $0[endpoint] = origin }
        return origin
    }

    /// The shared parts of a round, by endpoint; at most one for each recipient of the batch.
    private final class Origins: Sendable {
        let known = Mutex<[PushEndpoint: Origin]>([:])
    }
}
