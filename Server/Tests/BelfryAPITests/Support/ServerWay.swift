import BelfryServices
import BelfryAPI
import Hummingbird
import HummingbirdCore
import HummingbirdTesting
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
    /// Nobody waits so long in a test.
    static let settings = ExpressChannel.Settings(
        idleTimeout: .seconds(600), maximumHeaderBytes: 16_384, maximumHeadersBytes: 32_768, maximumHeaders: 100
    )

    var setup: TestingSetup {
        self == .router ? .router : .live
    }

    func server(_ services: APIServices, _ rules: ConnectionRules) -> HTTPServerBuilder {
        guard self != .router else { return .http1() }
        let lane = self == .lane ? ExpressLane(services: services) : nil
        return HTTPServerBuilder { responder in
            ExpressChannel(responder: responder, lane: lane, settings: Self.settings, rules: rules)
        }
    }
}
