import BelfryModel

/// Where requests go: an endpoint, its trusted certificates (if empty, the system's), and the sender.
///
/// A class, although it is immutable: every request of a campaign takes it from thread to thread.
package final class PushRoute: Hashable, Sendable {
    /// Requests of different senders never share a connection: APNs accepts only tokens of one key on one.
    package let sender: String
    /// Whose connections they are, for those who watch; it tells no route from another.
    package let provider: PushProvider
    package let endpoint: PushEndpoint
    /// Certificates in PEM; none: the system's.
    package let trustRoots: [String]
    /// Whether a device chose the endpoint, as in a Web Push subscription. The number of such routes is unlimited, and
    /// none may displace a route that an operator configured (SEC-5).
    package let isFromDevice: Bool
    /// Whether a device chose it and nobody else is known to run it, or not yet: neither a browser's maker nor whom the
    /// operator lists. Such routes have a share of the places, and take that of another only where none of their own is idle
    /// (SEC-5).
    package let isOfStranger: Bool
    /// Whether it counts as a stranger's only until it has answered, as Edge's do: nobody else can answer at its name.
    /// Such routes have a share and look-ups of their own, so that no other stranger holds up a first answer (SEC-5).
    package let isUnproven: Bool

    package init(
        sender: String, provider: PushProvider, endpoint: PushEndpoint, trustRoots: [String],
        isFromDevice: Bool = false, isOfStranger: Bool = false, isUnproven: Bool = false
    ) {
        self.sender = sender
        self.provider = provider
        self.endpoint = endpoint
        self.trustRoots = trustRoots
        self.isFromDevice = isFromDevice
        self.isOfStranger = isOfStranger
        self.isUnproven = isUnproven
    }

    package static func == (left: PushRoute, right: PushRoute) -> Bool {
        left === right
            || (left.sender, left.endpoint, left.trustRoots, left.isFromDevice)
                == (right.sender, right.endpoint, right.trustRoots, right.isFromDevice)
                && (left.isOfStranger, left.isUnproven) == (right.isOfStranger, right.isUnproven)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(sender)
        hasher.combine(endpoint)
    }
}
