import BelfryServices
import HTTPTypes
import Logging
import NIOCore
import Synchronization

/// The rules that all connections of a server share: the memory of incomplete requests (SEC-12), the number of
/// connections of an address (SEC-9), and which proxies are trusted (SEC-11).
package final class ConnectionRules: Sendable {
    package struct Settings: Hashable, Sendable {
        /// Bytes for incomplete requests, of which unauthenticated callers get at most a quarter; and as many for
        /// responses that are not read.
        package var bodyMemory = BodyBudget.Limits.standard.total
        /// The maximum number of connections of one address; nil: unlimited.
        package var connectionsPerAddress: Int? = AddressBudget.standard
        /// Whether connections of this machine count, too.
        package var countsLoopback = false
        /// From a request's head to the end of its body.
        package var bodyPatience = RequestGuard.patience

        /// The maximum number of all connections; more wait to be accepted (SEC-2).
        package static let maximumConnections = 10_000
        package static let minimumBodyMemory = BodyBudget.Limits.minimumTotal

        package init() {}
    }

    /// A gauge: all connections that are open now.
    static let openConnections = "belfry_connections_open"

    let bodies: BodyMemory
    let bodyPatience: TimeAmount
    let responses: ResponseMemory
    let forwarding: ForwardingWatch
    private let services: APIServices
    private let proxies: TrustedProxies
    private let countsLoopback: Bool
    /// Nil when the number for an address is unlimited.
    private let maximum: Int?
    private let addresses: Mutex<(budget: AddressBudget, last: UInt64)>

    /// - Parameters:
    ///   - proxies: these may open any number of connections, because they forward other people's requests.
    ///   - logger: gets the warning about a proxy that is not trusted.
    package init(_ settings: Settings, services: APIServices, proxies: TrustedProxies, logger: Logger) {
        bodyPatience = settings.bodyPatience
        bodies = BodyMemory(limits: .init(total: settings.bodyMemory), metrics: services.metrics)
        responses = ResponseMemory(maximum: max(settings.bodyMemory, Settings.minimumBodyMemory))
        forwarding = ForwardingWatch(proxies: proxies, logger: logger)
        maximum = settings.connectionsPerAddress
        addresses = Mutex(
            (
                AddressBudget(
                    maximum: max(settings.connectionsPerAddress ?? 1, 1), capacity: Settings.maximumConnections), 0
            ))
        countsLoopback = settings.countsLoopback
        self.services = services
        self.proxies = proxies
    }

    /// Whether a request shows something that only this server issues: an unexpired contact token with a valid
    /// signature, or the root key. Keys of apps are in the database, which nothing here waits for.
    func knows(_ fields: HTTPFields) -> Bool {
        if let token = fields[.contactToken] { return services.authentication.gaveOut(token) }
        guard let key = fields[.authorization] else { return false }
        return services.access.isRoot(bearer: AdminAuthMiddleware.key(in: key))
    }

    /// Counts a connection while it is open; this may close the oldest idle one of its address or IPv6 network.
    ///
    /// - Returns: nil for a connection that does not count.
    func opened(_ channel: any Channel) -> OpenConnection? {
        services.metrics.add(1, to: Self.openConnections)
        channel.closeFuture.whenComplete { _ in self.services.metrics.add(-1, to: Self.openConnections) }
        guard maximum != nil else { return nil }
        let address = Peer(channel: channel).address
        guard countsLoopback || !address.isLoopback, !proxies.contains(address) else { return nil }
        let network = address.network
        let (connection, admission) = addresses.withLock { state in
            state.last += 1
            let connection = OpenConnection(id: state.last, channel: channel)
            return (connection, state.budget.open(connection, from: network))
        }
        channel.closeFuture.whenComplete { _ in self.closed(connection, from: network) }
        switch admission {
        case .admitted: return connection
        case .admittedFor(let other, let its):
            other.endIfIdle { self.addresses.withLock { $0.budget.count(other, from: its) } }
        case .rejected: connection.end()
        }
        services.metrics.add(1, to: "belfry_connections_ended_total{cause=\"address\"}")
        return connection
    }

    /// Counts a connection that ended because its client did not read its responses.
    func endedUnread() {
        services.metrics.add(1, to: "belfry_connections_ended_total{cause=\"unread\"}")
    }

    private func closed(_ connection: OpenConnection, from network: IPAddress) {
        addresses.withLock { $0.budget.close(connection, from: network) }
    }
}
