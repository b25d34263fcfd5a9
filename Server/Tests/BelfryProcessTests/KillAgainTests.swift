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

    /// Answers take a while, and one in nine is none to be content with.
    private static func faults(_ seed: UInt64) throws -> FaultPlan {
        let rates: [FaultPlan.Fault: Double] = [
            .tooManyRequests: 0.04, .internalServerError: 0.04, .serviceUnavailable: 0.03, .slowAnswer: 0.89,
        ]
        return try FaultPlan(seed: seed, rates: rates, slowAnswer: .milliseconds(20))
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
                    for kill in 1...Self.kills {
                        let moment = Int.random(in: 0...40, using: &random)
                        let steps = Int.random(in: 0...400, using: &random)
                        let context = "Seed \(seed), kill \(kill) after \(moment) pushes and \(steps) steps."
                        let life = try await stage.withServer(environment: database.environment) { server in
                            try await launchAndKill(
                                server, service, stage, after: campaigns.last, moment: moment, steps: steps
                            )
                        }
                        campaigns.append(life.campaign)
                        try await service.buryTheDead()
                        try record.add(
                            service, recorded: try await database.accepted(), open: .allBut(recorded: life.recorded),
                            context
                        )
                    }
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

    /// Launches one campaign more, and kills the server when so many pushes were taken and so many steps were made.
    ///
    /// - Parameter last: what the former server launched shortly before its end.
    /// - Returns: the campaign, and how many outcomes the server said shortly before its end that it has recorded.
    private func launchAndKill(
        _ server: ServerProcess, _ service: PushService, _ stage: Stage, after last: String?, moment: Int, steps: Int
    ) async throws -> (campaign: String, recorded: Int) {
        let admin = stage.admin(server)
        if let last {
            let status = try await admin.change(last, "launch")
            #expect([.sending, .completed].contains(status), "launching again changes nothing")
        }
        let campaign = try await admin.createCampaign("Survivor")
        // Counted before the launch: a busy machine may come back from it when most of the pushes have left.
        let goal = service.simulator.statistics.accepted + moment
        try await admin.change(campaign, "launch")
        try await eventually("pushes leave", every: .milliseconds(2)) {
            service.simulator.statistics.accepted
        } until: {
            $0 >= goal
        }
        let recorded = try await stage.accepted(by: server)
        for _ in 0..<steps { await Task.yield() }
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
