import Foundation

// The interface for tests, fleets of simulated devices and the control API. Every function may be called from anywhere,
// at any time.
extension APNsSimulator {
    /// Allows providers to sign with this key. It replaces a key with the same key id.
    ///
    /// Throws `limitReached` beyond 1,000 keys.
    public func register(_ key: ProviderKey) throws(SimulatorError) {
        guard reception.keys.register(key) else {
            throw SimulatorError(.limitReached, field: "keys", "no more than \(ProviderKeys.limit) keys")
        }
    }

    /// Issues a token to a device that registers for pushes: 64 lowercase hexadecimal digits. The device is offline
    /// until it listens.
    public func issueToken(topic: String, environment: Environment) -> String {
        let token = reception.random.deviceToken()
        reception.devices.add(token, DeviceTokenState(topic: topic, environment: environment, state: .valid))
        return token.text
    }

    /// Changes the state of a token. Pushes that wait for a device are dropped unless the token is valid.
    ///
    /// Throws `unknownToken`.
    public func setState(of token: String, to state: TokenState) throws(SimulatorError) {
        guard let key = DeviceTokenKey(token),
            reception.devices.change(key, keepsWaiting: state == .valid, { $0.state = state })
        else { throw Self.unknownToken }
    }

    /// The device comes online. The stream has the waiting pushes that have not expired, and then each accepted push.
    ///
    /// A device has one stream: a second one ends the first. When the iteration or its task ends, the device goes
    /// offline. Throws `unknownToken`.
    public func notifications(for token: String) throws(SimulatorError) -> AsyncStream<SimulatedNotification> {
        guard let key = DeviceTokenKey(token), let stream = reception.devices.listen(key, now: reception.now) else {
            throw Self.unknownToken
        }
        return stream
    }

    /// The number of pushes that were accepted for the token. Throws `unknownToken`.
    public func acceptedCount(of token: String) throws(SimulatorError) -> Int {
        guard let key = DeviceTokenKey(token), let count = reception.devices.accepted(by: key) else {
            throw Self.unknownToken
        }
        return count
    }

    /// The last accepted pushes, oldest first, as many as the configuration allows.
    public var history: [Acceptance] {
        reception.journal.history.map { entry in
            Acceptance(token: entry.token.text, apnsID: entry.apnsID, acceptedAt: entry.acceptedAt)
        }
    }

    /// How often each `apns-id` was accepted for each device token, within the history.
    public func acceptedCounts() -> [String: [String: Int]] {
        history.reduce(into: [:]) { counts, acceptance in
            counts[acceptance.token, default: [:]][acceptance.apnsID, default: 0] += 1
        }
    }

    /// The counts so far.
    public var statistics: Statistics {
        let counts = reception.journal.counts
        let deliveries = reception.devices.counts
        var statistics = Statistics()
        statistics.requests = counts.requests
        statistics.accepted = counts.accepted
        statistics.answered = counts.answered
        statistics.refused = counts.refused
        statistics.faults = counts.namedFaults
        statistics.withoutPushType = counts.remarks[.withoutPushType] ?? 0
        statistics.connections = counts.connections
        statistics.openConnections = counts.openConnections
        statistics.deviceTokens = reception.devices.count
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

    /// Sets the limit beyond which one device token gets 429; nil: no limit.
    public func setDeviceQuota(_ quota: TokenRateLimit?) {
        reception.devices.setRate(quota)
    }

    /// The pushes that wait for a device of another process beyond `sequence`. If there are none, it waits for the next
    /// push, at most for `wait`.
    func poll(_ token: String, after sequence: Int, wait: Duration) async throws -> [SimulatedNotification] {
        guard let key = DeviceTokenKey(token) else { throw Self.unknownToken }
        let waiting = try await reception.devices.poll(
            key, after: sequence, wait: wait, on: server.eventLoopGroup.next(), clock: reception.clock
        )
        guard let waiting else { throw Self.unknownToken }
        return waiting
    }

    private static var unknownToken: SimulatorError {
        SimulatorError(.unknownToken, field: "token", "was not issued by this simulator")
    }
}
