import NIOCore
import ServiceLifecycle
import Synchronization

/// The life of a simulator's ports: idle, listening, stopped.
final class SimulatorLife<Addresses: Sendable>: Sendable {
    struct Listeners: Sendable {
        var addresses: Addresses
        var channels: [any Channel]
    }

    private enum Phase: Sendable {
        case idle
        case starting
        case running(Listeners)
        case stopped
    }

    let connections = ConnectionList()
    private let phase = Mutex(Phase.idle)

    /// Where it listens, while it does.
    var addresses: Addresses? {
        phase.withLock { phase in
            guard case .running(let listeners) = phase else { return nil }
            return listeners.addresses
        }
    }

    /// Begins to listen and says where. Again while it runs: says it again.
    func start(_ listen: () async throws -> Listeners) async throws -> Addresses {
        let running: Addresses? = try phase.withLock { phase in
            switch phase {
            case .idle:
                phase = .starting
                return nil
            case .running(let listeners):
                return listeners.addresses
            case .starting, .stopped:
                throw SimulatorError(.notStartable, field: "start", "it is starting already, or stopped")
            }
        }
        if let running { return running }
        do {
            let listeners = try await listen()
            phase.withLock { $0 = .running(listeners) }
            return listeners.addresses
        } catch {
            phase.withLock { $0 = .idle }
            throw error
        }
    }

    /// Takes no more connections and lets the open ones end. False: it did not run.
    func shutdown(within timeout: Duration, on eventLoop: any EventLoop) async -> Bool {
        let listeners: Listeners? = phase.withLock { phase in
            guard case .running(let listeners) = phase else { return nil }
            phase = .stopped
            return listeners
        }
        guard let listeners else { return false }
        for channel in listeners.channels {
            // A listener that is closed already is closed.
            try? await channel.close().get()
        }
        await connections.end(within: timeout, on: eventLoop)
        return true
    }
}

extension Service {
    /// Starts, runs until graceful shutdown or cancellation, and stops.
    func run(start: () async throws -> Void, shutdown: () async -> Void) async throws {
        try await start()
        do {
            try await gracefulShutdown()
        } catch {
            await shutdown()
            throw error
        }
        await shutdown()
    }
}
