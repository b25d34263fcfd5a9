import BelfryModel
import BelfryServerTestSupport
import BelfrySimulators
import Testing

/// The pushes that a push service accepted while servers were killed, compared with what these had recorded.
struct PushRecord {
    /// How many sends may be open when it is looked: taken by the push service, and not recorded.
    enum Bound {
        /// What the service had taken and not answered at the death, where all that it had answered was recorded before.
        case inFlight(Int)
        /// What the service counted of that life: what it had not answered when the connections ended, and what it had
        /// answered since all its answers were last seen recorded.
        case counted(PushLife)
        /// What servers that live have under way at once for so many devices, by their own bounds, and what came while the
        /// ledger was read: before that the service had taken so many pushes in all.
        case underWay(devices: Int, after: Int)

        /// - Parameter all: what the service has taken in all.
        func most(in all: Int) -> Int {
            switch self {
            case .inFlight(let count): count
            case .counted(let life): life.unanswered + life.late
            case .underWay(let devices, let before): PushRecord.mostUnderWay(devices: devices) + all - before
            }
        }
    }

    /// Sends that are under way, or answered and not yet recorded, at any moment: a window of 256 of a batch
    /// (`SendsUnderWay.window`), for no more are handed over before what was answered is recorded; batches of 1,000 devices
    /// (`CampaignPlanner.batchSize`); and sixteen of them at once (`CampaignDispatcher.slotsPerApp`).
    ///
    /// It holds for several servers as long as there are no more than sixteen batches, for each is lent to one. Whoever
    /// takes one over sends first what the other had open.
    static func mostUnderWay(devices: Int) -> Int {
        stride(from: 0, to: devices, by: 1_000).prefix(16).map { min(256, devices - $0) }.reduce(0, +)
    }

    private(set) var recorded: Set<AcceptedDelivery> = []
    /// Repeats that the deaths so far explain.
    private(set) var mayRepeat = 0
    private var seen = 0
    private var kills = 0
    /// Of the lives that the service counted: pushes in flight at the kills, and those that it had answered.
    private var inFlight = 0
    private var answered = 0

    /// Looks at what the push service took since the last time.
    ///
    /// - Parameters:
    ///   - recorded: what the ledger says, read when the server was dead and its connections had ended.
    ///   - bound: how much of it may be missing there.
    mutating func add(
        _ service: PushService, recorded: Set<AcceptedDelivery>, open bound: Bound, _ context: String
    ) throws {
        let history = service.simulator.history
        let news = try history[seen...].map(Self.delivery)
        let again = self.recorded.intersection(news)
        #expect(again.isEmpty, "what was recorded is never sent again. \(context)")
        let open = Set(news).subtracting(recorded)
        let most = bound.most(in: history.count)
        #expect(
            open.count <= most,
            "outcomes are recorded as they come: of \(news.count) are open \(open.count), at most \(most). \(context)"
        )
        let taken = try Set(history.map(Self.delivery))
        #expect(recorded.isSubset(of: taken), "the ledger says only what happened. \(context)")
        #expect(self.recorded.isSubset(of: recorded), "nothing recorded is lost. \(context)")
        if case .counted(let life) = bound { note(life, recorded: recorded, context) }
        self.recorded = recorded
        mayRepeat += open.count
        seen = history.count
    }

    /// Prints what the service counted of a life, so that a run can be written down, and compares it with the ledger.
    private mutating func note(_ life: PushLife, recorded: Set<AcceptedDelivery>, _ context: String) {
        kills += 1
        inFlight += life.unanswered
        answered += life.answered
        // In all, for a database of its own may end what it was told shortly before the kill while it is read.
        #expect(recorded.count <= answered, "only what was answered is recorded as accepted. \(context)")
        let new = recorded.count - self.recorded.count
        print(
            "REL-2: \(context) Pushes taken: \(life.taken), in flight at the kill: \(life.unanswered), recorded: \(new), "
                + "answered and not recorded: \(life.answered - new)"
        )
    }

    /// What the service and the ledger say of all kills, in one line, before the next server goes on.
    var summary: String {
        "REL-2: \(kills) kills, in flight at them: \(inFlight), answered and not recorded: \(answered - recorded.count)"
    }

    /// How many pushes came more than once.
    static func repeats(_ service: PushService) -> Int {
        let history = service.simulator.history
        return history.count - Set(history.map(\.apnsID)).count
    }

    /// Expects that each of these devices got each of these campaigns under one id, and no other device got anything.
    static func check(
        _ service: PushService, tokens: Set<String>, campaigns: [String], mayRepeat: Int, _ context: String
    ) throws {
        let history = service.simulator.history
        let counts = Dictionary(history.map { ($0.apnsID, 1) }, uniquingKeysWith: +)
        let pairs = try Dictionary(grouping: history, by: Self.delivery).mapValues { Set($0.map(\.apnsID)) }
        #expect(pairs.values.allSatisfy { $0.count == 1 }, "a repeat carries the same apns-id. \(context)")
        #expect(pairs.count == counts.count, "no two pushes share an apns-id. \(context)")
        let wanted = Set(
            campaigns.compactMap(CampaignID.init).flatMap { campaign in
                tokens.map { AcceptedDelivery(campaign: campaign, token: $0) }
            }
        )
        #expect(wanted.count == campaigns.count * tokens.count)
        #expect(Set(pairs.keys) == wanted, "everyone who can be reached got it, and nobody else. \(context)")
        #expect(history.count - counts.count <= mayRepeat, "only sends in flight are repeated. \(context)")
    }

    private static func delivery(_ acceptance: APNsSimulator.Acceptance) throws -> AcceptedDelivery {
        let campaign = try #require(MessageID(acceptance.apnsID)?.campaign)
        return AcceptedDelivery(campaign: campaign, token: acceptance.token)
    }
}

extension PushService {
    /// Waits until the dead servers' connections have ended: what they had sent has all arrived.
    func buryTheDead() async throws {
        try await eventually("the dead server's connections end", every: .milliseconds(10)) {
            simulator.statistics.openConnections
        } until: {
            $0 == 0
        }
    }
}
