import BelfryModel
import BelfryServerTestSupport
import BelfrySimulators
import Foundation
import Testing

/// Each life of the server launches one more campaign and takes up what the former ones left. So there is always
/// something to be amid of, on PostgreSQL as well, where a dead server's batches are lent until their leases end.
@Suite("The server is killed again and again while it sends campaigns")
struct FiftyKillsTests {
    static let kills = RunSettings.kills(10)
    static let devices = 60

    /// Pushes that the service answers in one life of the server at most; then it takes what comes and is silent. There
    /// are more to send in each, so no life sees the end of its campaign.
    static let mostAnswers = 40

    /// Answers take a while, and one in nine is none to be content with.
    private static func faults(_ seed: UInt64, silentAfter answers: Int? = nil) throws -> FaultPlan {
        let rates: [FaultPlan.Fault: Double] = [
            .tooManyRequests: 0.04, .internalServerError: 0.04, .serviceUnavailable: 0.03, .slowAnswer: 0.89,
        ]
        return try FaultPlan(seed: seed, rates: rates, slowAnswer: .milliseconds(20), silentAfter: answers)
    }

    @Test(
        "REL-2, PUSH-5, LED-1, LED-3, CAMP-2, STO-2: campaigns survive kills at random moments on both engines",
        .timeLimit(.minutes(kills > 10 ? 60 : 30)), arguments: Engine.allCases
    )
    func campaignsSurvive(_ engine: Engine) async throws {
        let seed = RunSettings.seed
        print("REL-2: BELFRY_TEST_SEED=\(seed) repeats this run's choices")
        var random = SimulatorRandom(seed: seed)
        try await withPushService(streams: 10, faults: Self.faults(seed)) { service in
            try await withStage { stage in
                try await stage.withDatabase(engine) { database in
                    let fleet = try await prepare(database, service, stage)
                    var campaigns: [String] = []
                    var record = PushRecord()
                    for kill in 1...Self.kills {
                        let moment = Moment(kill, &random)
                        let context = "Seed \(seed), kill \(kill), \(moment)."
                        service.simulator.setFaults(try Self.faults(seed, silentAfter: moment.answers))
                        // The server sends what the former left as soon as it runs.
                        let before = service.simulator.statistics
                        let campaign = try await stage.withServer(environment: database.environment) {
                            try await launchAndKill(
                                $0, database, service, stage, after: campaigns.last, moment, since: before
                            )
                        }
                        campaigns.append(campaign)
                        try await service.buryTheDead()
                        // What a dead server had sent may arrive after its death, so this is counted now.
                        let silent = service.simulator.statistics.unanswered - before.unanswered
                        #expect(try await database.pending() > 0, "the kill came amid a campaign. \(context)")
                        try record.add(
                            service, recorded: try await database.accepted(),
                            inFlight: moment.isQuiet ? silent : nil, context
                        )
                    }
                    service.simulator.setFaults(try Self.faults(seed))
                    let context = "Seed \(seed), after the last kill."
                    try await stage.withServer(environment: database.environment) { server in
                        try await complete(campaigns, fleet, stage.admin(server), context)
                    }
                    let accepted = try await database.accepted()
                    try record.add(service, recorded: accepted, context)
                    let tokens = fleet.reachableTokens
                    #expect(accepted.count == campaigns.count * tokens.count, "the ledger agrees. \(context)")
                    try PushRecord.check(
                        service, tokens: tokens, campaigns: campaigns, mayRepeat: record.mayRepeat, context
                    )
                }
            }
        }
    }

    private func prepare(_ database: ServerDatabase, _ service: PushService, _ stage: Stage) async throws -> Fleet {
        try await stage.withServer(environment: database.environment) { server in
            let admin = stage.admin(server)
            try await admin.createApp()
            try await admin.putCredentials(service.credentials)
            return try await Fleet.register(Self.devices, mixed: true, at: server, with: service, stage)
        }
    }

    /// Launches one campaign more, and kills the server at that moment.
    ///
    /// - Parameters:
    ///   - last: what the former server launched shortly before its end.
    ///   - before: what the push service had seen when this server started.
    /// - Returns: the campaign.
    private func launchAndKill(
        _ server: ServerProcess, _ database: ServerDatabase, _ service: PushService, _ stage: Stage,
        after last: String?, _ moment: Moment, since before: APNsSimulator.Statistics
    ) async throws -> String {
        let admin = stage.admin(server)
        if let last {
            let status = try await admin.change(last, "launch")
            #expect([.sending, .completed].contains(status), "launching again changes nothing")
        }
        let campaign = try await admin.createCampaign("Survivor")
        try await admin.change(campaign, "launch")
        // Three ends in a row before a batch has got on would set it aside, as they should: these are no kills of a batch
        // that gets on. So the service answers a little more as long as one waits alone.
        try await eventually("what is sent alone gets on") {
            let alone = try await database.batchesBegunAlone()
            if alone > 0 { service.simulator.setFaults(try Self.faults(1, silentAfter: 10)) }
            return alone
        } until: {
            $0 == 0
        }
        switch moment.kind {
        case .any(let pushes, let steps):
            try await eventually("pushes leave", every: .milliseconds(2)) {
                service.simulator.statistics.accepted - before.accepted
            } until: {
                $0 >= pushes
            }
            for _ in 0..<steps { await Task.yield() }
        case .allRecorded:
            try await eventually("the service is silent, and what it had answered is recorded") {
                let recorded = try await stage.accepted(by: server)
                let now = service.simulator.statistics
                return (silent: now.unanswered - before.unanswered, open: now.accepted - before.accepted - recorded)
            } until: {
                $0.silent > 0 && $0.open <= $0.silent
            }
        }
        #expect(await server.kill9() == .signal(SIGKILL))
        return campaign
    }

    /// The last server brings all of them to their end: by itself, and with figures that add up.
    private func complete(
        _ campaigns: [String], _ fleet: Fleet, _ admin: AdminCaller, _ context: String
    ) async throws {
        let reachable = fleet.members(of: .reachable).count
        for campaign in campaigns {
            let answer = try await eventually("campaign \(campaign) completes. \(context)") {
                try await admin.campaign(campaign)
            } until: {
                $0.status == .completed
            }
            let counts = answer.counts
            #expect(counts.audience == fleet.members.count && counts.pending == 0, "\(counts) \(context)")
            #expect(counts.accepted == reachable && counts.cancelled == 0, "\(counts) \(context)")
            // A token that was refused once is no token for the campaigns that come after.
            #expect(counts.suppressed + counts.rejected == counts.audience - reachable, "\(counts) \(context)")
        }
    }
}

/// When a server of this test is killed.
private struct Moment: CustomStringConvertible {
    enum Kind {
        /// After so many pushes, and so many steps of the program: at any moment of sending and recording.
        case any(pushes: Int, steps: Int)
        /// When all is recorded that the service answered: then what is open is exactly what is in flight on the wire.
        case allRecorded
    }

    /// Pushes that the service answers in this life of the server.
    let answers: Int
    let kind: Kind

    /// The two kinds take turns.
    init(_ kill: Int, _ random: inout SimulatorRandom) {
        answers = Int.random(in: 0...FiftyKillsTests.mostAnswers, using: &random)
        let pushes = Int.random(in: 0...answers, using: &random)
        let steps = Int.random(in: 0...400, using: &random)
        kind = kill.isMultiple(of: 2) ? .allRecorded : .any(pushes: pushes, steps: steps)
    }

    /// Nothing is under way at the kill but what is in flight on the wire.
    var isQuiet: Bool {
        if case .allRecorded = kind { true } else { false }
    }

    var description: String {
        switch kind {
        case .any(let pushes, let steps): "after \(pushes) pushes and \(steps) steps, \(answers) answers at most"
        case .allRecorded: "when \(answers) answers were recorded"
        }
    }
}

extension APNsSimulator.Statistics {
    /// Requests that were taken and never answered.
    fileprivate var unanswered: Int { faults[FaultPlan.Fault.noAnswer.rawValue] ?? 0 }
}
