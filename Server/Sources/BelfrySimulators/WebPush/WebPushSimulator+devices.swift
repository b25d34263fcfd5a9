import Foundation
import NIOCore

// The interface for tests, fleets of simulated devices and the control API. Every function may be called from anywhere,
// at any time.
extension WebPushSimulator {
    /// Subscribes a browser for a web app, with the app server's public key (base64url of an uncompressed point of
    /// P-256) or, if it is nil, without one. The browser is offline until it listens.
    ///
    /// Throws `invalidValue` if the key is invalid, and `notRunning` before the simulator listens.
    public func subscribe(applicationServerKey: String?) throws(SimulatorError) -> Subscription {
        guard let addresses else {
            throw SimulatorError(.notRunning, field: "start", "it has no endpoints before it listens")
        }
        let serverKey = try applicationServerKey.map(SimulatedSubscription.serverKey)
        let keys = WebPushKeys(reception.random)
        let key = reception.random.deviceToken()
        reception.devices.add(key, SimulatedSubscription(state: .valid, applicationServerKey: serverKey, keys: keys))
        return Subscription(
            id: key.base64URL,
            endpoint: addresses.origin + WebPushRequestCheck.pathPrefix + key.base64URL,
            p256dh: SimulatorBase64URL.encode(keys.publicKey),
            auth: SimulatorBase64URL.encode(keys.authenticationSecret)
        )
    }

    /// Changes the state of a subscription. Pushes that wait for the browser are dropped unless the subscription is
    /// valid.
    ///
    /// Throws `unknownToken`.
    public func setState(of id: String, to state: SubscriptionState) throws(SimulatorError) {
        guard reception.devices.change(try key(of: id), keepsWaiting: state == .valid, { $0.state = state }) else {
            throw Self.unknownToken
        }
    }

    /// The browser comes online. The stream has the waiting pushes that have not expired, and then each accepted push.
    ///
    /// A subscription has one stream: a second one ends the first. When the iteration or its task ends, the browser
    /// goes offline. Throws `unknownToken`.
    public func pushes(for id: String) throws(SimulatorError) -> AsyncStream<SimulatedWebPush> {
        guard let stream = reception.devices.listen(try key(of: id), now: reception.now) else {
            throw Self.unknownToken
        }
        return stream
    }

    /// The number of pushes that were accepted for the subscription. Throws `unknownToken`.
    public func acceptedCount(of id: String) throws(SimulatorError) -> Int {
        guard let count = reception.devices.accepted(by: try key(of: id)) else { throw Self.unknownToken }
        return count
    }

    /// The last accepted pushes, oldest first, as many as the configuration allows.
    public var history: [Acceptance] {
        reception.journal.history.map { entry in
            Acceptance(
                subscription: entry.key.base64URL,
                id: entry.id,
                messageID: entry.messageID ?? entry.id,
                acceptedAt: entry.acceptedAt
            )
        }
    }

    /// How often each message id was accepted for each subscription, within the history.
    public func acceptedCounts() -> [String: [String: Int]] {
        history.reduce(into: [:]) { counts, acceptance in
            counts[acceptance.subscription, default: [:]][acceptance.messageID, default: 0] += 1
        }
    }

    /// The counts so far.
    public var statistics: Statistics {
        let counts = reception.journal.counts
        let deliveries = reception.devices.counts
        var statistics = Statistics()
        statistics.requests = counts.requests
        statistics.accepted = counts.accepted
        statistics.refused = counts.refused
        statistics.faults = counts.namedFaults
        statistics.unreadable = counts.remarks[.unreadable] ?? 0
        statistics.connections = counts.connections
        statistics.openConnections = counts.openConnections
        statistics.subscriptions = reception.devices.count
        statistics.browsers = reception.browsers.connected
        statistics.delivered = deliveries.delivered
        statistics.kept = deliveries.kept
        statistics.replaced = deliveries.replaced
        statistics.discarded = deliveries.discarded
        return statistics
    }

    /// Replaces the faults. The numbering of requests continues.
    public func setFaults(_ plan: FaultPlan) {
        reception.faults.set(plan)
    }

    /// Sets the quotas beyond which a sender, and a subscription, get 429; nil: none.
    public func setQuotas(sender: SimulatorQuota?, subscription: SimulatorQuota?) {
        reception.senderRates.set(sender)
        reception.devices.setRate(subscription)
    }

    /// The pushes that wait for a browser of another process beyond `sequence`. If there are none, it waits for the
    /// next push, at most for `wait`.
    func poll(_ id: String, after sequence: Int, wait: Duration) async throws -> [SimulatedWebPush] {
        let waiting = try await reception.devices.poll(
            try key(of: id), after: sequence, wait: wait, on: server.eventLoopGroup.next(), clock: reception.clock
        )
        guard let waiting else { throw Self.unknownToken }
        return waiting
    }

    private func key(of id: String) throws(SimulatorError) -> DeviceTokenKey {
        guard let key = DeviceTokenKey(base64URL: id) else { throw Self.unknownToken }
        return key
    }

    private static var unknownToken: SimulatorError {
        SimulatorError(.unknownToken, field: "subscription", "was not made by this simulator")
    }
}

extension WebPushSimulator {
    /// The result of `PushManager.subscribe` (W3C Push API), which a web app sends to its server.
    public struct Subscription: Sendable, Equatable, Codable {
        /// The id of the subscription here, the last part of the endpoint.
        public let id: String
        /// The address to which pushes are posted.
        public let endpoint: String
        /// The browser's public key, base64url of 65 bytes.
        public let p256dh: String
        /// The authentication secret, base64url of 16 bytes.
        public let auth: String

        /// A subscription that a device of another process has.
        public init(id: String, endpoint: String, p256dh: String, auth: String) {
            self.id = id
            self.endpoint = endpoint
            self.p256dh = p256dh
            self.auth = auth
        }
    }
}
