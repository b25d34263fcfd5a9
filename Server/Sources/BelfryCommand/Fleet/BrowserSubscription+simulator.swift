import BelfryModel

extension BrowserSubscription {
    /// Reads the token that a simulated browser registered.
    init(token: String) throws(DevicePushServiceError) {
        guard let subscription = BrowserSubscription(text: token) else { throw .noSubscription }
        self = subscription
    }

    /// What the simulator calls the subscription: the last part of its endpoint.
    var simulatorID: String {
        String(endpoint[nameStart...])
    }

    /// The same browser, at an endpoint that its push service has never heard of.
    func renamed(_ name: String) -> BrowserSubscription {
        BrowserSubscription(endpoint: endpoint[..<nameStart] + name, keys: keys)
    }

    private var nameStart: String.Index {
        endpoint.lastIndex(of: "/").map { endpoint.index(after: $0) } ?? endpoint.startIndex
    }
}
