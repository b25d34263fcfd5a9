import ServiceLifecycle

/// A look-alike of a push service, on TLS ports of its own.
///
/// Either run it as a service, or call `start()` and at the end `shutdown()`.
public protocol PushSimulator: Service {
    /// Where a running simulator listens.
    associatedtype Addresses: Sendable

    /// Its ports.
    var server: SimulatorServer<Addresses> { get }
}

extension PushSimulator {
    /// The certificate authority that clients have to trust, in PEM.
    public var trustRootPEM: String { server.trustRootPEM }

    /// Where it listens, while it does.
    public var addresses: Addresses? { server.addresses }

    /// Begins to listen and says where. Again while it runs: says it again.
    ///
    /// Throws `notStartable` while another call starts it and once it is stopped, and what the system says if a port
    /// is taken.
    @discardableResult
    public func start() async throws -> Addresses {
        try await server.start()
    }

    /// Starts if it is not started, runs until graceful shutdown or cancellation, and stops.
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

    /// Takes no more connections, lets the open ones end (GOAWAY, then what is in flight), and ends all streams of
    /// pushes. It cannot start again.
    public func shutdown() async {
        await server.shutdown()
    }
}
