import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle

/// The control API of an `APNsSimulator`, HTTP/1.1 and JSON, for providers and devices in other processes. It asks for
/// no credential, so it belongs on a loopback address.
///
/// | call | body → answer |
/// |---|---|
/// | `POST /keys` | `{teamId, keyId, publicKey, topics?}` → 204 |
/// | `POST /tokens` | `{topic, environment}` → 201 `{token}` |
/// | `PUT /tokens/{token}` | `{state, since?}` → 204; `since` in milliseconds since 1970, with `unregistered` and `expired` |
/// | `GET /tokens/{token}/notifications?after=N&wait=SECONDS` | → a JSON array, oldest first |
/// | `GET /statistics` | → counts |
/// | `PUT /faults` | `{seed?, rates?, slowAnswerMilliseconds?, goAwayAfter?}` → 204; `{}` ends all faults |
/// | `GET /trust-root` | → the certificate authority, PEM |
///
/// `after` acknowledges: what a device has named is not sent again, what it has not is. `wait` is 0 to 60 s; an answer
/// comes as soon as there is something. Bad input gets 400, 404 or 409 with `{error: {code, field, message}}`.
public struct APNsControlServer: Service {
    private let simulator: APNsSimulator
    private let host: String
    private let port: Int
    private let logger: Logger
    private let onRunning: @Sendable (Int) async -> Void

    /// A server that does not listen yet; `onRunning` is told the port once it does. Port 0: any free one.
    public init(
        simulator: APNsSimulator,
        host: String = "127.0.0.1",
        port: Int = 0,
        logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        self.simulator = simulator
        self.host = host
        self.port = port
        self.logger = logger
        self.onRunning = onRunning
    }

    /// Runs until graceful shutdown or cancellation.
    public func run() async throws {
        let router = Router(context: ControlContext.self)
        ControlRoutes(simulator: simulator).add(to: router)
        let port = self.port
        let onRunning = self.onRunning
        let application = Application(
            router: router,
            configuration: ApplicationConfiguration(address: .hostname(host, port: port)),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? port) },
            eventLoopGroupProvider: .shared(simulator.eventLoopGroup),
            logger: logger
        )
        try await application.run()
    }
}
