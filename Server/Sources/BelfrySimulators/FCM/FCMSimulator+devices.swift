import Foundation
import NIOCore

// What a test, a fleet of simulated devices or the control API does with a simulator. All of it may be called from
// anywhere, at any time.
extension FCMSimulator {
    /// Lets a service account ask for access tokens. One with the same address takes its place.
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

    /// Makes a service account with a key of its own and gives the JSON file that Google's console would give for it,
    /// with this simulator's token URI.
    ///
    /// Throws `invalidValue` if the project id cannot be one, `notRunning` before it listens, and `limitReached`.
    public func makeServiceAccount(projectID: String) throws -> String {
        guard let addresses else {
            throw SimulatorError(.notRunning, field: "start", "it has no token URI before it listens")
        }
        let number = String(decoding: reception.random.uuid().utf8.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self)
        let file = try FCMServiceAccountFile(projectID: projectID, number: number, tokenURI: addresses.tokenURI)
        try register(file.account)
        return SimulatorJSONText.encode(file)
    }

    /// Makes all access tokens invalid, as if they had been revoked; senders get 401 until they ask for new ones.
    public func revokeAccessTokens() {
        reception.tokens.revokeAll()
    }

    /// Gives a device that registers for pushes its registration token. The device is away until it listens.
    public func issueToken(projectID: String) -> String {
        let key = reception.random.deviceToken()
        reception.devices.add(key, FCMDeviceState(project: projectID, state: .valid))
        return FCMTokenText.text(of: key)
    }

    /// Gives an app its Firebase installation id, which stands for a registration token everywhere here; messages name
    /// it as `fid`. The device is away until it listens.
    public func issueInstallationID(projectID: String) -> String {
        let key = FCMInstallationID.key(reception.random.bytes())
        reception.devices.add(key, FCMDeviceState(project: projectID, state: .valid))
        return FCMAddress.text(of: key)
    }

    /// When a project, and when a device, gets 429 from now on; nil: never.
    public func setQuotas(project: SimulatorQuota?, device: SimulatorQuota?) {
        reception.projectRates.set(project)
        reception.devices.setRate(device)
    }

    /// Changes what the service thinks of a token. What waits for a device is dropped unless the token is valid.
    ///
    /// Throws `unknownToken`.
    public func setState(of token: String, to state: TokenState) throws(SimulatorError) {
        guard reception.devices.change(try key(of: token), keepsWaiting: state == .valid, { $0.state = state }) else {
            throw Self.unknownToken
        }
    }

    /// The device comes online: gives what waited for it and was still good, and from then on each accepted message.
    ///
    /// A device has one stream: a second one ends the first. Ending the iteration, or the task, takes the device
    /// offline. Throws `unknownToken`.
    public func messages(for token: String) throws(SimulatorError) -> AsyncStream<SimulatedFCMMessage> {
        guard let stream = reception.devices.listen(try key(of: token), now: reception.now) else {
            throw Self.unknownToken
        }
        return stream
    }

    /// How many messages the token took. Throws `unknownToken`.
    public func acceptedCount(of token: String) throws(SimulatorError) -> Int {
        guard let count = reception.devices.accepted(by: try key(of: token)) else { throw Self.unknownToken }
        return count
    }

    /// The last accepted messages, oldest first, as many as the configuration keeps.
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

    /// How often each registration token took each message id, within the history.
    public func acceptedCounts() -> [String: [String: Int]] {
        history.reduce(into: [:]) { counts, acceptance in
            counts[acceptance.token, default: [:]][acceptance.messageID, default: 0] += 1
        }
    }

    /// What was seen so far.
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

    /// What goes wrong with messages from now on. The numbers of requests go on.
    public func setFaults(_ plan: FaultPlan) {
        reception.faults.set(plan)
    }

    /// What goes wrong at the token endpoint from now on. When connections are ended, the plan for messages says.
    public func setTokenFaults(_ plan: FaultPlan) {
        reception.tokenFaults.set(plan)
    }

    /// What waits for a device of another process beyond `sequence`; with nothing there, it waits for the next message
    /// as long as it may.
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
