import BelfryPush

/// Where requests go: an endpoint, the certificates that it is trusted by (none: the system's), and the sender.
///
/// A reference, though it never changes: every request of a campaign carries it from thread to thread.
package final class PushRoute: Hashable, Sendable {
    /// Who sends: APNs takes the tokens of one key only on one connection.
    package let sender: String
    package let endpoint: PushEndpoint
    package let trustRoots: [String]
    /// Whether a device named the endpoint, as in a Web Push subscription: then there may be routes without end, and
    /// none of them may take the place of those that an operator named (SEC-5).
    package let isFromDevice: Bool

    package init(sender: String, endpoint: PushEndpoint, trustRoots: [String], isFromDevice: Bool = false) {
        self.sender = sender
        self.endpoint = endpoint
        self.trustRoots = trustRoots
        self.isFromDevice = isFromDevice
    }

    package static func == (left: PushRoute, right: PushRoute) -> Bool {
        left === right
            || (left.sender, left.endpoint, left.trustRoots, left.isFromDevice)
                == (right.sender, right.endpoint, right.trustRoots, right.isFromDevice)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(sender)
        hasher.combine(endpoint)
    }
}

/// Carries requests to a push service; the delivery engine does it for real.
package protocol PushCarrier: Sendable {
    /// Every request gets exactly one answer, in any order, on any thread; `index` counts in `requests`.
    func send(
        _ requests: [PushRequest], by route: PushRoute,
        onAnswer: @escaping @Sendable (_ index: Int, _ result: PushResult) -> Void
    )
}
