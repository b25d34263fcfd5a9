import BelfryAPI
import BelfryServices
import Hummingbird
import HummingbirdCore
import HummingbirdTesting
import Logging
import NIOCore

/// How calls reach a test's server.
package enum ServerWay: Sendable {
    /// Without a socket.
    case router
    /// By a socket, and each by the router.
    case socket
    /// By a socket, as the program's connections are.
    case lane
}

extension ServerWay {
    /// Longer than any test waits.
    static let settings = ExpressChannel.Settings(
        idleTimeout: .seconds(600), maximumHeaderBytes: 16_384, maximumHeadersBytes: 32_768, maximumHeaders: 100
    )

    /// Runs a server and hands over who calls it.
    func serve<Value>(
        _ router: Router<APIRequestContext>, _ services: APIServices, _ rules: ConnectionRules, logger: Logger,
        _ test: @Sendable (any APIClient) async throws -> Value
    ) async throws -> Value {
        guard self != .router else {
            let application = Application(router: router, logger: logger)
            return try await application.test(.router) { try await test(RouterClient(base: $0)) }
        }
        let lane = self == .lane ? ExpressLane(services: services) : nil
        let builder = HTTPServerBuilder { responder in
            ExpressChannel(responder: responder, lane: lane, settings: Self.settings, rules: rules)
        }
        return try await ServerSocket.serve(router, by: builder, logger: logger) { server in
            try await SocketClient(of: server).whileConnected(test)
        }
    }
}
