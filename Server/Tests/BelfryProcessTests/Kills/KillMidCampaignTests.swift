import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfrySimulators
import Foundation
import Testing

@Suite("The server is killed during a campaign")
struct KillMidCampaignTests {
    static let kills = RunSettings.kills(50, brief: 3)
    /// More than one batch of 1,000, and enough to be killed so often.
    static let devices = max(1_100, kills * 250)

    @Test(
        "REL-2, PUSH-5, LED-1, LED-3, CAMP-2: a campaign survives kill -9: all are served, repeats keep their id",
        .timeLimit(.minutes(kills > 3 ? 60 : 30))
    )
    func campaignSurvives() async throws {
        // 20 sends at a time, 250 ms each.
        try await withPushService(streams: 10, faults: try Self.faults(silentAfter: 100)) { service in
            try await withStage { stage in
                try await stage.withDatabase(.sqlite) { database in
                    try await story(database, service, stage)
                }
            }
        }
    }

    private func story(_ database: ServerDatabase, _ service: PushService, _ stage: Stage) async throws {
        var record = PushRecord()
        var logs = LeftLogs()
        let (fleet, campaign, first) = try await stage.withServer { server in
            try await launchAndKill(server, database, service, stage)
        }
        try await logs.add(database, "Kill 1.")
        try await lookAtTheDead(first, recorded: 0, &record, fleet, database, service, "Kill 1.")
        let more = fleet.reachableTokens.count / (2 * Self.kills)
        for kill in 1..<Self.kills {
            let goal = record.recorded.count + more
            // Enough for the goal, with those that are gone and those that the dead one had in flight.
            service.simulator.setFaults(try Self.faults(silentAfter: more * 4 / 3 + 60))
            let life = PushLife(at: service)
            let recorded = try await stage.withServer { server in
                try await database.heatLog(by: fleet.sender, at: server)
                return try await killAfter(goal, campaign, life, server, service, stage)
            }
            try await logs.add(database, "Kill \(kill + 1).")
            try await lookAtTheDead(life, recorded: recorded, &record, fleet, database, service, "Kill \(kill + 1).")
        }
        #expect(logs.bytes.count == Self.kills)
        print(logs.summary)
        service.simulator.setFaults(.none)
        let summary = record.summary
        try await stage.withServer { server in
            let admin = stage.admin(server)
            let status = try await admin.change(campaign, "launch")
            #expect([.sending, .completed].contains(status), "launching again changes nothing")
            try await checkCompleted(campaign, fleet, admin)
        }
        try record.add(service, recorded: try await database.accepted(), open: .inFlight(0), "At the end.")
        checkReception(service, fleet, mayRepeat: record.mayRepeat)
        print("\(summary), repeats: \(PushRecord.repeats(service))")
    }

    /// Compares what a life left on the wire with the ledger, and makes sure that its kill came amid the campaign.
    private func lookAtTheDead(
        _ life: PushLife, recorded: Int, _ record: inout PushRecord, _ fleet: TestFleet, _ database: ServerDatabase,
        _ service: PushService, _ context: String
    ) async throws {
        try await service.buryTheDead()
        #expect(service.reached.count < fleet.reachableTokens.count, "the kill came amid the campaign. \(context)")
        let ended = life.ended(at: service, recorded: recorded)
        let accepted = try await database.asLeft { try await $0.accepted() }
        try record.add(service, recorded: accepted, open: .counted(ended), context)
    }

    /// Slow answers, and then none: however late a kill comes, it comes amid the campaign.
    private static func faults(silentAfter answers: Int) throws -> FaultPlan {
        try FaultPlan(
            seed: 1, rates: [.slowAnswer: 1], slowAnswer: .milliseconds(250), silentAfter: answers
        )
    }

    /// The first kill comes as soon as the launch is acknowledged.
    private func launchAndKill(
        _ server: ServerProcess, _ database: ServerDatabase, _ service: PushService, _ stage: Stage
    ) async throws -> (TestFleet, campaign: String, PushLife) {
        let admin = stage.admin(server)
        try await admin.createApp()
        try await admin.putCredentials(service.credentials)
        let fleet = try await TestFleet.register(Self.devices, mixed: true, at: server, with: service, stage)
        let campaign = try await admin.createCampaign("Survivor")
        try await database.heatLog(by: fleet.sender, at: server)
        let life = PushLife(at: service)
        try await admin.change(campaign, "launch")
        #expect(await server.kill9() == .signal(SIGKILL))
        return (fleet, campaign, life)
    }

    /// Kills the server when the goal is reached and what was answered by then is recorded.
    ///
    /// - Returns: how many answers of this life were recorded at the last look.
    private func killAfter(
        _ goal: Int, _ campaign: String, _ life: PushLife, _ server: ServerProcess, _ service: PushService,
        _ stage: Stage
    ) async throws -> Int {
        let admin = stage.admin(server)
        try await eventually("outcomes are recorded while the campaign runs", every: .milliseconds(20)) {
            try await admin.campaign(campaign).counts.accepted
        } until: {
            $0 >= goal
        }
        let recorded = try await life.catchUp(service, server, stage)
        #expect(await server.kill9() == .signal(SIGKILL))
        return recorded
    }

    private func checkCompleted(_ campaign: String, _ fleet: TestFleet, _ admin: AdminCaller) async throws {
        let response = try await eventually("the campaign completes", every: .milliseconds(100)) {
            try await admin.campaign(campaign)
        } until: {
            $0.status == .completed
        }
        let counts = response.counts
        #expect(counts.audience == fleet.members.count)
        #expect(counts.pending == 0)
        #expect(counts.accepted == fleet.members(of: .reachable).count)
        #expect(counts.suppressed == fleet.members(of: .optedOut).count + fleet.members(of: .tokenless).count)
        #expect(counts.rejected == fleet.members(of: .gone).count)
        #expect(counts.cancelled == 0)
        #expect(counts.accepted + counts.suppressed + counts.rejected == counts.audience)
        for kind in TestFleet.Kind.allCases {
            for member in fleet.members(of: kind).prefix(10) {
                let explanation = try await admin.explain(campaign, device: member.device.id)
                #expect(explanation.state == kind.state.rawValue)
                #expect(explanation.reason == kind.reason)
            }
        }
    }

    private func checkReception(_ service: PushService, _ fleet: TestFleet, mayRepeat: Int) {
        let received = service.simulator.acceptedCounts()
        #expect(Set(received.keys) == fleet.reachableTokens, "everyone who can be reached got it, and nobody else")
        #expect(received.values.allSatisfy { $0.count == 1 }, "a repeat carries the same apns-id")
        let ids = Set(received.values.flatMap(\.keys))
        #expect(ids.count == received.count, "no two devices share an apns-id")
        let times = received.values.flatMap(\.values)
        #expect(times.allSatisfy { $0 <= 1 + Self.kills }, "a kill repeats a push once at most")
        #expect(times.reduce(0, +) - received.count <= mayRepeat, "only sends in flight are repeated")
    }
}

extension TestFleet.Kind {
    /// How a campaign ends for such a device.
    fileprivate var state: DeliveryState {
        switch self {
        case .reachable: .accepted
        case .optedOut, .tokenless: .suppressed
        case .gone: .rejected
        }
    }

    fileprivate var reason: String? {
        switch self {
        case .reachable: nil
        case .optedOut: DeliveryReason.optedOut(.osSetting).rawValue
        case .tokenless: DeliveryReason.noToken.rawValue
        case .gone: APNsSimulator.Reason.unregistered.rawValue
        }
    }
}
