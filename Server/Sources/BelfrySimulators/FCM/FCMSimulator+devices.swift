import Foundation
import NIOCore

// The interface for tests, fleets of simulated devices and the control API. Every function may be called from anywhere,
// at any time.
extension FCMSimulator {
    /// Allows a service account to request access tokens. It replaces one with the same address.
    ///
    /// Throws `limitReached` beyond 1,000 accounts.
    public func register(_ account: ServiceAccount) throws(SimulatorError) {
        guard reception.accounts.register(account) else {
            throw SimulatorError(
                .limitReached,
                field: "serviceAccounts",
                "no more than \(SimulatedFCMAccounts.limit) service accounts"
            )
        }
    }

    /// Creates a service account with a new key and returns the JSON file that Google's console would issue for it,
    /// with this simulator's token URI.
    ///
    /// Throws `invalidValue` if the project id is invalid, `notRunning` before the simulator listens, and
    /// `limitReached`.
    public func makeServiceAccount(projectID: String) throws -> String {
        guard let addresses else {
            throw SimulatorError(.notRunning, field: "start", "it has no token URI before it listens")
        }
        let number = String(decoding: reception.random.uuid().utf8.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)
        let file = try FCMServiceAccountFile(projectID: projectID, number: number, tokenURI: addresses.tokenURI)
        try register(file.account)
        return SimulatorJSONText.encode(file)
    }

    /// Revokes all access tokens; senders get 401 until they request new ones.
    public func revokeAccessTokens() {
        reception.tokens.revokeAll()
    }

    /// Issues a registration token to a device that registers for pushes. The device is offline until it listens.
    public func issueToken(projectID: String) -> String {
        let key = reception.random.deviceToken()
        reception.devices.add(key, FCMDeviceState(project: projectID, state: .valid))
        return FCMTokenText.text(of: key)
    }

    /// Issues a Firebase installation id to an app. It can be used here in place of a registration token; messages name
    /// it as `fid`. The device is offline until it listens.
    public func issueInstallationID(projectID: String) -> String {
        let key = FCMInstallationID.key(reception.random.bytes())
        reception.devices.add(key, FCMDeviceState(project: projectID, state: .valid))
        return FCMAddress.text(of: key)
    }

    /// Sets the quotas beyond which a project, and a device, get 429; nil: none.
    public func setQuotas(project: SimulatorQuota?, device: SimulatorQuota?) {
        reception.projectRates.set(project)
        reception.devices.setRate(device)
    }

    /// Changes the state of a token. Messages that wait for a device are dropped unless the token is valid.
    ///
    /// Throws `unknownToken`.
    public func setState(of token: String, to state: TokenState) throws(SimulatorError) {
        guard reception.devices.change(try key(of: token), keepsWaiting: state == .valid, { $0.state = state }) else {
            throw Self.unknownToken
        }
    }

    /// The device comes online. The stream has the waiting messages that have not expired, and then each accepted
    /// message.
    ///
    /// A device has one stream: a second one ends the first. When the iteration or its task ends, the device goes
    /// offline. Throws `unknownToken`.
    public func messages(for token: String) throws(SimulatorError) -> AsyncStream<SimulatedFCMMessage> {
        guard let stream = reception.devices.listen(try key(of: token), now: reception.now) else {
            throw Self.unknownToken
        }
        return stream
    }

    /// The number of messages that were accepted for the token. Throws `unknownToken`.
    public func acceptedCount(of token: String) throws(SimulatorError) -> Int {
        guard let count = reception.devices.accepted(by: try key(of: token)) else { throw Self.unknownToken }
        return count
    }

    /// The last accepted messages, oldest first, as many as the configuration allows.
    public var history: [Acceptance] {
        reception.journal.history.map { entry in
            Acceptance(
                token: FCMAddress.text(of: entry.token),
                name: entry.name,
                messageID: entry.messageID ?? entry.name,
                acceptedAt: entry.acceptedAt
            )
        }
    }

    /// How often each message id was accepted for each registration token, within the history.
    public func acceptedCounts() -> [String: [String: Int]] {
        history.reduce(into: [:]) { counts, acceptance in
            counts[acceptance.token, default: [:]][acceptance.messageID, default: 0] += 1
        }
    }

    /// The counts so far.
    public var statistics: Statistics {
        let counts = reception.journal.counts
        let tokens = reception.tokenJournal.counts
        let deliveries = reception.devices.counts
        var statistics = Statistics()
        statistics.requests = counts.requests
        statistics.accepted = counts.accepted
        statistics.refused = counts.refused
        statistics.faults = counts.namedFaults
        statistics.validated = counts.remarks[.validated] ?? 0
        statistics.tokenRequests = tokens.requests
        statistics.accessTokens = tokens.accepted
        statistics.tokenRequestsRefused = tokens.refused
        statistics.tokenFaults = tokens.namedFaults
        statistics.connections = counts.connections
        statistics.openConnections = counts.openConnections
        statistics.deviceTokens = reception.devices.count
        statistics.delivered = deliveries.delivered
        statistics.kept = deliveries.kept
        statistics.replaced = deliveries.replaced
        statistics.discarded = deliveries.discarded
        return statistics
    }

    /// Replaces the faults for messages. The numbering of requests continues.
    public func setFaults(_ plan: FaultPlan) {
        reception.faults.set(plan)
    }

    /// Replaces the faults of the token endpoint. Only the plan for messages decides when connections end.
    public func setTokenFaults(_ plan: FaultPlan) {
        reception.tokenFaults.set(plan)
    }

    /// The messages that wait for a device of another process beyond `sequence`. If there are none, it waits for the
    /// next message, at most for `wait`.
    func poll(_ token: String, after sequence: Int, wait: Duration) async throws -> [SimulatedFCMMessage] {
        let waiting = try await reception.devices.poll(
            try key(of: token), after: sequence, wait: wait, on: server.eventLoopGroup.next(), clock: reception.clock
        )
        guard let waiting else { throw Self.unknownToken }
        return waiting
    }

    private func key(of token: String) throws(SimulatorError) -> DeviceTokenKey {
        guard let key = FCMAddress.key(of: token) else { throw Self.unknownToken }
        return key
    }

    private static var unknownToken: SimulatorError {
        SimulatorError(.unknownToken, field: "token", "was not issued by this simulator")
    }
}
