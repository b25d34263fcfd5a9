import Logging
import ServiceLifecycle

/// The control API of an `APNsSimulator` only: the calls of a `PushServicesControlServer` without those for FCM and web
/// push.
public struct APNsControlServer: Service {
    private let server: PushServicesControlServer

    /// A server that does not listen yet. `onRunning` is called with the port once it does. Port 0: any free port.
    public init(
        simulator: APNsSimulator,
        host: String = "127.0.0.1",
        port: Int = 0,
        logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) {
        server = PushServicesControlServer(
            apns: simulator,
            eventLoopGroup: simulator.server.eventLoopGroup,
            host: host,
            port: port,
            logger: logger,
            onRunning: onRunning
        )
    }

    /// Runs until graceful shutdown or cancellation.
    public func run() async throws {
        try await server.run()
    }
}
