import BelfryAPI
import Hummingbird
import HummingbirdCore
import Logging
import ServiceLifecycle
import Testing

/// A server of a test that listens.
struct ServerSocket: Sendable {
    static let host = "localhost"

    let port: Int

    /// Serves on a port that the system chooses until the test is over.
    static func serve<Value>(
        _ router: Router<APIRequestContext>, by server: HTTPServerBuilder, logger: Logger,
        _ test: (ServerSocket) async throws -> Value
    ) async throws -> Value {
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router, server: server, configuration: .init(address: .hostname(host, port: 0)),
            onServerRunning: { channel in
                if let port = channel.localAddress?.port { running.yield(port) }
            },
            logger: logger
        )
        let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
        return try await withThrowingTaskGroup(of: Void.self, returning: Value.self) { tasks in
            tasks.addTask {
                defer { running.finish() }
                try await group.run()
            }
            do {
                let port = try #require(await ports.first { _ in true }, "the server ended before it listened")
                let value = try await test(ServerSocket(port: port))
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
                return value
            } catch {
                await group.triggerGracefulShutdown()
                throw error
            }
        }
    }
}
