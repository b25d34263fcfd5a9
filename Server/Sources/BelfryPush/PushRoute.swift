import BelfryModel

/// The destination of requests: an endpoint, its trusted certificates (empty: the system's), and the sender.
///
/// A class, although it is immutable: every request of a campaign passes it between threads.
package final class PushRoute: Hashable, Sendable {
    /// Requests of different senders never share a connection: APNs accepts only tokens of one key on a connection.
    package let sender: String
    /// The push service, for metrics. It is not part of the route's identity.
    package let provider: PushProvider
    package let endpoint: PushEndpoint
    /// Certificates in PEM; empty: the system's.
    package let trustRoots: [String]
    /// Whether a device chose the endpoint, as in a Web Push subscription. The number of such routes is unlimited, and
    /// none may displace a route that an operator configured (SEC-5).
    package let isFromDevice: Bool
    /// Whether a device chose the endpoint and no known party, a browser vendor or a host that the operator lists, is
    /// known (yet) to run it. Such routes have a limited share of the places. They take the place of another route only
    /// if none of their own is idle (SEC-5).
    package let isAtUnknownHost: Bool
    /// Whether the route counts as one at an unknown host only until it has answered, as Edge's do: nobody else can
    /// answer at its name. Such routes have their own share and look-ups, so that no unknown host can delay a first
    /// response (SEC-5).
    package let isUnproven: Bool

    package init(
        sender: String, provider: PushProvider, endpoint: PushEndpoint, trustRoots: [String],
        isFromDevice: Bool = false, isAtUnknownHost: Bool = false, isUnproven: Bool = false
    ) {
        self.sender = sender
        self.provider = provider
        self.endpoint = endpoint
        self.trustRoots = trustRoots
        self.isFromDevice = isFromDevice
        self.isAtUnknownHost = isAtUnknownHost
        self.isUnproven = isUnproven
    }

    package static func == (left: PushRoute, right: PushRoute) -> Bool {
        left === right
            || (left.sender, left.endpoint, left.trustRoots, left.isFromDevice)
                == (right.sender, right.endpoint, right.trustRoots, right.isFromDevice)
                && (left.isAtUnknownHost, left.isUnproven) == (right.isAtUnknownHost, right.isUnproven)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(sender)
        hasher.combine(endpoint)
    }
}
