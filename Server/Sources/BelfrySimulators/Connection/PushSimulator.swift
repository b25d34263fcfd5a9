import ServiceLifecycle

/// A simulated push service on its own TLS ports.
///
/// Either run it as a service, or call `start()` and at the end `shutdown()`.
public protocol PushSimulator: Service {
    /// The addresses of a running simulator.
    associatedtype Addresses: Sendable

    /// The server with the simulator's ports.
    var server: SimulatorServer<Addresses> { get }
}

extension PushSimulator {
    /// The certificate authority that clients must trust, in PEM.
    public var trustRootPEM: String { server.trustRootPEM }

    /// The addresses while it listens; otherwise nil.
    public var addresses: Addresses? { server.addresses }

    /// Starts to listen and returns the addresses. If it runs already, it only returns them.
    ///
    /// Throws `notStartable` while another call starts it and after it was stopped, and the system's error if a port is
    /// taken.
    @discardableResult
    public func start() async throws -> Addresses {
        try await server.start()
    }

    /// Starts if necessary, runs until graceful shutdown or cancellation, and stops.
    public func run() async throws {
        try await start()
        do {
            try await gracefulShutdown()
        } catch {
            await shutdown()
            throw error
        }
        await shutdown()
    }

    /// Accepts no more connections, lets the open ones end (GOAWAY, then what is in flight), and ends all streams of
    /// pushes. It cannot start again.
    public func shutdown() async {
        await server.shutdown()
    }
}
