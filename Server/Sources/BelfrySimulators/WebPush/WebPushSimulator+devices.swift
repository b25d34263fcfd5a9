import Foundation
import NIOCore

// What a test, a fleet of simulated devices or the control API does with a simulator. All of it may be called from
// anywhere, at any time.
extension WebPushSimulator {
    /// A browser subscribes for a web app, with the app server's public key (base64url of an uncompressed point of
    /// P-256) or, if it is nil, without one. The browser is away until it listens.
    ///
    /// Throws `invalidValue` if the key is none, and `notRunning` before the simulator listens.
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

    /// Changes what the service thinks of a subscription. What waits for the browser is dropped unless it is valid.
    ///
    /// Throws `unknownToken`.
    public func setState(of id: String, to state: SubscriptionState) throws(SimulatorError) {
        guard reception.devices.change(try key(of: id), keepsWaiting: state == .valid, { $0.state = state }) else {
            throw Self.unknownToken
        }
    }

    /// The browser comes online: gives what waited for it and was still good, and from then on each accepted push.
    ///
    /// A subscription has one stream: a second one ends the first. Ending the iteration, or the task, takes the browser
    /// offline. Throws `unknownToken`.
    public func pushes(for id: String) throws(SimulatorError) -> AsyncStream<SimulatedWebPush> {
        guard let stream = reception.devices.listen(try key(of: id), now: reception.now) else {
            throw Self.unknownToken
        }
        return stream
    }

    /// How many pushes the subscription took. Throws `unknownToken`.
    public func acceptedCount(of id: String) throws(SimulatorError) -> Int {
        guard let count = reception.devices.accepted(by: try key(of: id)) else { throw Self.unknownToken }
        return count
    }

    /// The last accepted pushes, oldest first, as many as the configuration keeps.
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

    /// How often each subscription took each message id, within the history.
    public func acceptedCounts() -> [String: [String: Int]] {
        history.reduce(into: [:]) { counts, acceptance in
            counts[acceptance.subscription, default: [:]][acceptance.messageID, default: 0] += 1
        }
    }

    /// What was seen so far.
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

    /// What goes wrong from now on. The numbers of requests go on.
    public func setFaults(_ plan: FaultPlan) {
        reception.faults.set(plan)
    }

    /// When a sender, and when a subscription, gets 429 from now on; nil: never.
    public func setQuotas(sender: SimulatorQuota?, subscription: SimulatorQuota?) {
        reception.senderRates.set(sender)
        reception.devices.setRate(subscription)
    }

    /// What waits for a browser of another process beyond `sequence`; with nothing there, it waits for the next push as
    /// long as it may.
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
    /// What a web app gets from `PushManager.subscribe` (W3C Push API), and sends to its server.
    public struct Subscription: Sendable, Equatable, Codable {
        /// The name of the subscription here, the last part of the endpoint.
        public let id: String
        /// Where to post pushes.
        public let endpoint: String
        /// The browser's public key, base64url of 65 bytes.
        public let p256dh: String
        /// The authentication secret, base64url of 16 bytes.
        public let auth: String

        /// A subscription as a device of another process has it.
        public init(id: String, endpoint: String, p256dh: String, auth: String) {
            self.id = id
            self.endpoint = endpoint
            self.p256dh = p256dh
            self.auth = auth
        }
    }
}
