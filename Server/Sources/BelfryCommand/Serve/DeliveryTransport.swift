import BelfryDelivery
import BelfryModel
import BelfryPush
import BelfryServices
import Foundation
import Logging
import NIOCore
import ServiceLifecycle

/// Sends the delivery engine's pushes, with one connection pool per route in use.
final class DeliveryTransport: PushTransport, Service {
    /// The interval at which idle connections are closed, in seconds.
    static let interval: TimeInterval = 30

    private let environment: ServerEnvironment
    private let metrics: Metrics?
    private let pools: PushConnectionPools

    /// - Parameter metrics: receive the number of connected push services and the load of the connections.
    init(
        group: any EventLoopGroup, settings: DeliverySettings, environment: ServerEnvironment, metrics: Metrics? = nil,
        logger: Logger
    ) {
        self.environment = environment
        self.metrics = metrics
        pools = PushConnectionPools(
            group: group, settings: settings, limits: PoolLimits(), now: { .now() }, jitter: environment.jitter,
            logger: logger
        )
    }

    func send(
        _ requests: [PushRequest], by route: PushRoute,
        onResponse: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    ) {
        pools.send(requests, by: route, onResponse: onResponse)
    }

    /// Runs as long as the server, and closes the connections after all senders have ended.
    func run() async {
        await environment.repeatUntilShutdown(every: Self.interval, after: Self.interval) { [self] in
            pools.closeIdle()
            await look()
        }
        await pools.shutdown()
    }

    private func look() async {
        guard let metrics else { return }
        metrics.set(pools.count, "belfry_push_connection_pools")
        let use = await pools.use()
        for provider in PushProvider.allCases {
            let own = use[provider] ?? PushConnectionUse()
            metrics.set(own.connections, "belfry_push_connections{provider=\"\(provider.rawValue)\"}")
            metrics.set(own.streams, "belfry_push_streams{provider=\"\(provider.rawValue)\"}")
            metrics.set(own.waiting, "belfry_push_requests_waiting{provider=\"\(provider.rawValue)\"}")
        }
    }
}
