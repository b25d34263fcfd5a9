import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// The control API of simulated push services, HTTP/1.1 and JSON, for senders and devices in other processes. It asks
/// for no credential, so it belongs on a loopback address.
///
/// | call | body → answer |
/// |---|---|
/// | `POST /keys` | `{teamId, keyId, publicKey, topics?, environments?}` → 204; absent: every topic, both environments |
/// | `POST /tokens` | `{topic, environment}` → 201 `{token}` |
/// | `PUT /tokens/{token}` | `{state, since?}` → 204; `since` in milliseconds since 1970, with `unregistered` and `expired` |
/// | `GET /tokens/{token}/notifications?after=N&wait=SECONDS` | → a JSON array, oldest first |
/// | `GET /statistics` | → counts |
/// | `PUT /faults` | `{seed?, rates?, slowAnswerMilliseconds?, goAwayAfter?, silentAfter?, latencyMilliseconds?, retryAfterSeconds?}` → 204; `{}` ends all faults |
/// | `PUT /quotas` | `{device?: {requests, intervalSeconds}}` → 204; beyond it a device token gets 429; `{}` ends all quotas |
/// | `GET /trust-root` | → the certificate authority, PEM |
///
/// These are APNs'. Those of the others are like them:
///
/// | call | body → answer |
/// |---|---|
/// | `POST /fcm/service-accounts` | `{projectId}` → 201, the JSON file of a new service account; or `{projectId, clientEmail, privateKeyId, publicKey}` → 204 |
/// | `POST /fcm/tokens` | `{projectId}` → 201 `{token}` |
/// | `POST /fcm/installations` | `{projectId}` → 201 `{fid}`, a Firebase installation id, which stands for a token below |
/// | `PUT /fcm/tokens/{token}` | `{state}`: `valid`, `unregistered`, `malformed`, `otherSender`, `thirdPartyAuthError` → 204 |
/// | `GET /fcm/tokens/{token}/notifications?after=N&wait=SECONDS` | → a JSON array, oldest first |
/// | `PUT /fcm/faults`, `PUT /fcm/token-faults` | as above, for messages and for the token endpoint → 204 |
/// | `PUT /fcm/quotas` | `{project?, device?}`, each as above → 204 |
/// | `DELETE /fcm/access-tokens` | → 204; all that were given out are revoked |
/// | `POST /webpush/subscriptions` | `{applicationServerKey?}` → 201 `{id, endpoint, keys: {p256dh, auth}}` |
/// | `PUT /webpush/subscriptions/{id}` | `{state}`: `valid`, `unsubscribed`, `expired` → 204 |
/// | `GET /webpush/subscriptions/{id}/notifications?after=N&wait=SECONDS` | → a JSON array, oldest first |
/// | `PUT /webpush/faults` | as above → 204 |
/// | `PUT /webpush/quotas` | `{sender?, subscription?}`, each as above → 204 |
/// | `GET /fcm/statistics`, `GET /webpush/statistics` | → counts |
/// | `GET /fcm/trust-root`, `GET /webpush/trust-root` | → the certificate authority, PEM |
///
/// `after` acknowledges: what a device has named is not sent again, what it has not is. `wait` is 0 to 60 s; an answer
/// comes as soon as there is something. Bad input gets 400, 404 or 409 with `{error: {code, field, message}}`. A
/// service that is not simulated has no calls: 404. Pages of other sites get 403, by `Host` and `Origin`: they would
/// call it through their visitors' browsers.
public struct PushServicesControlServer: Service {
    private let apns: APNsSimulator?
    private let fcm: FCMSimulator?
    private let webPush: WebPushSimulator?
    private let eventLoopGroup: any EventLoopGroup
    private let host: String
    private let publicHost: String?
    private let port: Int
    private let logger: Logger
    private let onRunning: @Sendable (Int) async -> Void

    /// A server that does not listen yet.
    ///
    /// - Parameters:
    ///   - host: the address to listen on. Callers must name it, `publicHost` or loopback.
    ///   - publicHost: another name of the server.
    ///   - port: 0: any free port.
    ///   - onRunning: is called with the port once the server listens.
    public init(
        apns: APNsSimulator? = nil,
        fcm: FCMSimulator? = nil,
        webPush: WebPushSimulator? = nil,
        eventLoopGroup: any EventLoopGroup,
        host: String = "127.0.0.1",
        publicHost: String? = nil,
        port: Int = 0,
        logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.apns = apns
        self.fcm = fcm
        self.webPush = webPush
        self.eventLoopGroup = eventLoopGroup
        self.host = host
        self.publicHost = publicHost
        self.port = port
        self.logger = logger
        self.onRunning = onRunning
    }

    /// Runs until graceful shutdown or cancellation.
    public func run() async throws {
        let router = Router(context: ControlContext.self)
        router.add(middleware: OwnOriginMiddleware(rule: RequestOriginRule(host: host, publicHost: publicHost)))
        if let apns { APNsControlRoutes(simulator: apns).add(to: router) }
        if let fcm { FCMControlRoutes(simulator: fcm).add(to: router) }
        if let webPush { WebPushControlRoutes(simulator: webPush).add(to: router) }
        let port = self.port
        let onRunning = self.onRunning
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? port) },
            eventLoopGroupProvider: .shared(eventLoopGroup),
            logger: logger
        )
        try await application.run()
    }
}
