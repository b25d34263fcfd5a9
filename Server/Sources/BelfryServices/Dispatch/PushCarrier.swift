import BelfryPush

/// Where requests go: an endpoint, the certificates that it is trusted by (none: the system's), and the sender.
package struct PushRoute: Hashable, Sendable {
    /// Who sends: APNs takes the tokens of one key only on one connection.
    package let sender: String
    package let endpoint: PushEndpoint
    package let trustRoots: [String]

    package init(sender: String, endpoint: PushEndpoint, trustRoots: [String]) {
        self.sender = sender
        self.endpoint = endpoint
        self.trustRoots = trustRoots
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
