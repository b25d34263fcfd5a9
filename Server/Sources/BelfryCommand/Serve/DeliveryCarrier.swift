import BelfryDelivery
import BelfryPush
import BelfryServices
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization

/// Carries pushes by the delivery engine: one pool of connections per route, on an event loop of the group's.
final class DeliveryCarrier: PushCarrier, Service {
    private let group: any EventLoopGroup
    private let settings: DeliverySettings
    private let jitter: @Sendable () -> Double
    private let logger: Logger
    private let pools = Mutex<[PushRoute: PushConnectionPool]>([:])

    init(
        group: any EventLoopGroup, settings: DeliverySettings, jitter: @escaping @Sendable () -> Double,
        logger: Logger
    ) {
        self.group = group
        self.settings = settings
        self.jitter = jitter
        self.logger = logger
    }

    func send(
        _ requests: [PushRequest], by route: PushRoute,
        onAnswer: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    ) {
        do {
            try pool(for: route).send(requests, onAnswer: onAnswer)
        } catch {
            logger.error("no connection can be made", metadata: ["endpoint": "\(route.endpoint)", "error": "\(error)"])
            for index in requests.indices {
                onAnswer(index, .notProcessed(reason: "unusable trust roots"))
            }
        }
    }

    /// Lives as long as the server, and closes the connections when everybody who sends has ended.
    func run() async throws {
        try? await gracefulShutdown()
        for pool in pools.withLock({ Array($0.values) }) {
            await pool.shutdown()
        }
    }

    private func pool(for route: PushRoute) throws(DeliveryTrustError) -> PushConnectionPool {
        try pools.withLock { (pools) throws(DeliveryTrustError) in
            if let pool = pools[route] { return pool }
            let pool = try PushConnectionPool(
                endpoint: route.endpoint, trust: route.trustRoots.isEmpty ? .system : .roots(route.trustRoots),
                settings: settings, eventLoop: group.next(), jitter: jitter, logger: logger
            )
            pools[route] = pool
            return pool
        }
    }
}
