import BelfryModel
import BelfryServerTestSupport
import BelfrySimulators
import Foundation
import Testing

/// Each life of the server launches one more campaign and continues the former ones. So there is always
/// work in progress, on PostgreSQL as well, where a dead server holds its batches until their leases end.
@Suite("The server is killed again and again while it sends campaigns")
struct KillAgainTests {
    static let kills = RunSettings.kills(50, brief: 5)
    static let devices = 60

    /// When a server is killed.
    private struct Moment: CustomStringConvertible {
        /// Pushes that the service has taken since the launch.
        let pushes: Int
        /// Steps of this program after that.
        let steps: Int
        /// Answers of the service since the launch, of any kind: enough for the pushes, though some are refusals, and fewer
        /// than the 51 devices that can be reached.
        let answers: Int

        init(using random: inout SimulatorRandom) {
            pushes = Int.random(in: 1...35, using: &random)
            steps = Int.random(in: 0...400, using: &random)
            answers = Int.random(in: (pushes + 10)...48, using: &random)
        }

        var description: String { "\(pushes) pushes and \(steps) steps, with \(answers) answers at most" }
    }

    /// Answers take a while, and one in nine is none to be content with.
    ///
    /// - Parameter answers: after so many the service takes what comes and is silent.
    private static func faults(_ seed: UInt64, silentAfter answers: Int? = nil) throws -> FaultPlan {
        let rates: [FaultPlan.Fault: Double] = [
            .tooManyRequests: 0.04, .internalServerError: 0.04, .serviceUnavailable: 0.03, .slowAnswer: 0.89,
        ]
        return try FaultPlan(
            seed: seed, rates: rates, slowAnswer: .milliseconds(20), silentAfter: answers
        )
    }

    @Test(
        "REL-2, PUSH-5, LED-1, LED-3, CAMP-2, STO-2: campaigns survive kills at random moments on both engines",
        .timeLimit(.minutes(kills > 5 ? 60 : 30)), arguments: Engine.allCases
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
                    var logs = LeftLogs()
                    for kill in 1...Self.kills {
                        let moment = Moment(using: &random)
                        let context = "Seed \(seed), kill \(kill) after \(moment)."
                        // What the former life left of its silence would hold up this one.
                        service.simulator.setFaults(try Self.faults(seed))
                        let life = PushLife(at: service)
                        let (campaign, seen) = try await stage.withServer(environment: database.environment) { server in
                            try await database.heatLog(by: fleet.sender, at: server)
                            return try await launchAndKill(
                                server, service, stage, after: campaigns.last, moment, life,
                                faults: Self.faults(seed, silentAfter: moment.answers)
                            )
                        }
                        campaigns.append(campaign)
                        try await logs.add(database, context)
                        try await service.buryTheDead()
                        let ended = life.ended(at: service, recorded: seen)
                        let accepted = try await database.asLeft { try await $0.accepted() }
                        #expect(ended.taken >= moment.pushes, "the kill came when pushes left. \(context)")
                        try checkInterrupted(campaign, accepted, fleet, context)
                        try record.add(service, recorded: accepted, open: .counted(ended), context)
                    }
                    service.simulator.setFaults(try Self.faults(seed))
                    let summary = record.summary
                    #expect(logs.bytes.count == (engine == .sqlite ? Self.kills : 0))
                    print("\(logs.summary), \(engine)")
                    let context = "Seed \(seed), after the last kill."
                    try await stage.withServer(environment: database.environment) { server in
                        try await complete(campaigns, fleet, stage.admin(server), context)
                    }
                    let accepted = try await database.accepted()
                    // Every campaign is complete, and what the last server took is recorded.
                    try record.add(service, recorded: accepted, open: .inFlight(0), context)
                    let tokens = fleet.reachableTokens
                    #expect(accepted.count == campaigns.count * tokens.count, "the ledger agrees. \(context)")
                    try PushRecord.check(
                        service, tokens: tokens, campaigns: campaigns, mayRepeat: record.mayRepeat, context
                    )
                    print("\(summary), repeats: \(PushRecord.repeats(service)), \(engine)")
                }
            }
        }
    }

    private func prepare(_ database: ServerDatabase, _ service: PushService, _ stage: Stage) async throws -> TestFleet {
        try await stage.withServer(environment: database.environment) { server in
            let admin = stage.admin(server)
            try await admin.createApp()
            try await admin.putCredentials(service.credentials)
            return try await TestFleet.register(Self.devices, mixed: true, at: server, with: service, stage)
        }
    }

    /// The campaign of this life is not complete: the service answered fewer pushes than it has.
    private func checkInterrupted(
        _ campaign: String, _ accepted: Set<AcceptedDelivery>, _ fleet: TestFleet, _ context: String
    ) throws {
        let id = try #require(CampaignID(campaign))
        let served = accepted.filter { $0.campaign == id }.count
        #expect(served < fleet.reachableTokens.count, "the kill came amid a campaign. \(context)")
    }

    /// Launches one campaign more, and kills the server when so many pushes were taken, what was answered by then is
    /// recorded, and so many steps were made.
    ///
    /// - Parameters:
    ///   - last: what the former server launched shortly before its end.
    ///   - faults: from the launch on. However late the kill comes, it comes amid the campaign.
    /// - Returns: the campaign, and how many answers were recorded at the last look.
    private func launchAndKill(
        _ server: ServerProcess, _ service: PushService, _ stage: Stage, after last: String?, _ moment: Moment,
        _ life: PushLife, faults: FaultPlan
    ) async throws -> (campaign: String, recorded: Int) {
        let admin = stage.admin(server)
        if let last {
            let status = try await admin.change(last, "launch")
            #expect([.sending, .completed].contains(status), "launching again changes nothing")
        }
        let campaign = try await admin.createCampaign("Survivor")
        // Counted before the launch: a busy machine may come back from it when most of the pushes have left.
        let goal = service.simulator.statistics.accepted + moment.pushes
        service.simulator.setFaults(faults)
        try await admin.change(campaign, "launch")
        try await eventually("pushes leave", every: .milliseconds(2)) {
            service.simulator.statistics.accepted
        } until: {
            $0 >= goal
        }
        let recorded = try await life.catchUp(service, server, stage)
        for _ in 0..<moment.steps { await Task.yield() }
        #expect(await server.kill9() == .signal(SIGKILL))
        return (campaign, recorded)
    }

    /// The last server brings all of them to their end: by itself, and with figures that add up.
    private func complete(
        _ campaigns: [String], _ fleet: TestFleet, _ admin: AdminCaller, _ context: String
    ) async throws {
        let reachable = fleet.members(of: .reachable).count
        for campaign in campaigns {
            let response = try await eventually("campaign \(campaign) completes. \(context)") {
                try await admin.campaign(campaign)
            } until: {
                $0.status == .completed
            }
            let counts = response.counts
            #expect(counts.audience == fleet.members.count && counts.pending == 0, "\(counts) \(context)")
            #expect(counts.accepted == reachable && counts.cancelled == 0, "\(counts) \(context)")
            // A token that was rejected once is not used for later campaigns.
            #expect(counts.suppressed + counts.rejected == counts.audience - reachable, "\(counts) \(context)")
        }
    }
}
