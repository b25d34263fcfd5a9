import Foundation

// What a test, a fleet of simulated devices or the control API does with a simulator. All of it may be called from
// anywhere, at any time.
extension APNsSimulator {
    /// Lets a provider sign with that key. One with the same key id takes its place.
    ///
    /// Throws `limitReached` beyond 1,000 keys.
    public func register(_ key: ProviderKey) throws(SimulatorError) {
        guard reception.keys.register(key) else {
            throw SimulatorError(.limitReached, field: "keys", "no more than \(ProviderKeys.limit) keys")
        }
    }

    /// Gives a device that registers for pushes its token, 64 lowercase hexadecimal digits. The device is away until
    /// it listens.
    public func issueToken(topic: String, environment: Environment) -> String {
        let token = reception.random.deviceToken()
        reception.devices.add(token, DeviceTokenState(topic: topic, environment: environment, state: .valid))
        return token.text
    }

    /// Changes what the service thinks of a token. What waits for a device is dropped unless the token is valid.
    ///
    /// Throws `unknownToken`.
    public func setState(of token: String, to state: TokenState) throws(SimulatorError) {
        guard let key = DeviceTokenKey(token),
            reception.devices.change(key, keepsWaiting: state == .valid, { $0.state = state })
        else { throw Self.unknownToken }
    }

    /// The device comes online: gives what waited for it and was still good, and from then on each accepted push.
    ///
    /// A device has one stream: a second one ends the first. Ending the iteration, or the task, takes the device
    /// offline. Throws `unknownToken`.
    public func notifications(for token: String) throws(SimulatorError) -> AsyncStream<SimulatedNotification> {
        guard let key = DeviceTokenKey(token), let stream = reception.devices.listen(key, now: reception.now) else {
            throw Self.unknownToken
        }
        return stream
    }

    /// How many pushes the token took. Throws `unknownToken`.
    public func acceptedCount(of token: String) throws(SimulatorError) -> Int {
        guard let key = DeviceTokenKey(token), let count = reception.devices.accepted(by: key) else {
            throw Self.unknownToken
        }
        return count
    }

    /// The last accepted pushes, oldest first, as many as the configuration keeps.
    public var history: [Acceptance] {
        reception.journal.history.map { entry in
            Acceptance(token: entry.token.text, apnsID: entry.apnsID, acceptedAt: entry.acceptedAt)
        }
    }

    /// How often each device token took each `apns-id`, within the history.
    public func acceptedCounts() -> [String: [String: Int]] {
        history.reduce(into: [:]) { counts, acceptance in
            counts[acceptance.token, default: [:]][acceptance.apnsID, default: 0] += 1
        }
    }

    /// What was seen so far.
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

    /// What goes wrong from now on. The numbers of requests go on.
    public func setFaults(_ plan: FaultPlan) {
        reception.faults.set(plan)
    }

    /// When one device token gets 429 from now on; nil: never.
    public func setDeviceQuota(_ quota: TokenRateLimit?) {
        reception.devices.setRate(quota)
    }

    /// What waits for a device of another process beyond `sequence`; with nothing there, it waits for the next push
    /// as long as it may.
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
