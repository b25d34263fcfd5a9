import BelfryPush
import NIOCore

/// Where a pool of connections leads, and what keeps it apart from others to the same place.
package struct PoolRoute: Hashable, Sendable {
    /// Requests of different senders never share a connection.
    package let sender: String
    package let endpoint: PushEndpoint
    /// Certificates in PEM; none: the system's.
    package let trustRoots: [String]
    /// Whether a device named the endpoint, as in a Web Push subscription: then there may be routes without end.
    package let isFromDevice: Bool

    package init(sender: String, endpoint: PushEndpoint, trustRoots: [String], isFromDevice: Bool) {
        self.sender = sender
        self.endpoint = endpoint
        self.trustRoots = trustRoots
        self.isFromDevice = isFromDevice
    }

    var trust: DeliveryTrust { trustRoots.isEmpty ? .system : .roots(trustRoots) }
}

/// How many pools there are, and how long.
package struct PoolLimits: Sendable {
    /// Pools whose endpoint a device named; when all of them are busy, requests to yet others are answered
    /// `notProcessed`. Those that an operator named are few, and have no limit.
    package var devicePools = 256
    /// How long a pool keeps its connections without a request.
    package var idleTime = TimeAmount.minutes(5)
    /// Lookups of names that devices gave, at once: a name may be made to take long, and holds up none but its like.
    package var deviceLookups = 16

    package init() {}
}
