import BelfryModel
import BelfryServerModel
import BelfrySimulators
import Foundation
import Testing

@Suite("The server is killed during a campaign")
struct KillMidCampaignTests {
    static let kills = RunSettings.kills(50, brief: 3)
    /// More than one batch of 1,000, and enough to be killed so often.
    static let devices = max(1_100, kills * 250)
    /// The most sends that are under way and not recorded at any moment, by the server's own bounds. The 20 streams are
    /// among them; how many responses come while a record is written is a matter of time, so no smaller number holds on
    /// every machine. It holds across kills as well: what a dead server left is what the next one sends first.
    static let unrecorded = PushRecord.mostUnderWay(devices: devices)

    @Test(
        "REL-2, PUSH-5, LED-1, LED-3, CAMP-2: a campaign survives kill -9: all are served, repeats keep their id",
        .timeLimit(.minutes(kills > 3 ? 60 : 30))
    )
    func campaignSurvives() async throws {
        // 20 sends at a time, 250 ms each.
        try await withPushService(streams: 10, faults: try Self.faults(silentAfter: 100)) { service in
            try await withStage { stage in
                let (fleet, campaign) = try await stage.withServer { server in
                    try await launchAndKill(server, service, stage)
                }
                // A recorded send is never repeated; one that was sent but not recorded may be.
                var recorded = 0
                let begun = try await reachedByTheDead(service).count
                #expect(begun < fleet.reachableTokens.count, "the first kill came amid the campaign, too")
                var mayRepeat = min(begun, Self.unrecorded)
                for _ in 1..<Self.kills {
                    let more = fleet.reachableTokens.count / (2 * Self.kills)
                    let goal = recorded + more
                    // Enough for the goal, with those that are gone and those that the dead one had in flight.
                    service.simulator.setFaults(try Self.faults(silentAfter: more * 4 / 3 + 60))
                    recorded = try await stage.withServer { server in
                        try await killAfter(goal, campaign, server, service, stage)
                    }
                    let reached = try await reachedByTheDead(service)
                    #expect(reached.count < fleet.reachableTokens.count, "the kill came amid the campaign")
                    mayRepeat += min(reached.count - recorded, Self.unrecorded)
                }
                service.simulator.setFaults(.none)
                try await stage.withServer { server in
                    let admin = stage.admin(server)
                    let status = try await admin.change(campaign, "launch")
                    #expect([.sending, .completed].contains(status), "launching again changes nothing")
                    try await checkCompleted(campaign, fleet, admin)
                    checkReception(service, fleet, mayRepeat: mayRepeat)
                }
            }
        }
    }

    /// Slow answers, and then none: however late a kill comes, it comes amid the campaign.
    private static func faults(silentAfter answers: Int) throws -> FaultPlan {
        try FaultPlan(
            seed: 1, rates: [.slowAnswer: 1], slowAnswer: .milliseconds(250), silentAfter: answers
        )
    }

    /// The first kill comes as soon as the launch is acknowledged.
    private func launchAndKill(
        _ server: ServerProcess, _ service: PushService, _ stage: Stage
    ) async throws -> (TestFleet, campaign: String) {
        let admin = stage.admin(server)
        try await admin.createApp()
        try await admin.putCredentials(service.credentials)
        let fleet = try await TestFleet.register(Self.devices, mixed: true, at: server, with: service, stage)
        let campaign = try await admin.createCampaign("Survivor")
        try await admin.change(campaign, "launch")
        #expect(await server.kill9() == .signal(SIGKILL))
        return (fleet, campaign)
    }

    /// Returns how many outcomes were recorded as accepted shortly before the kill.
    private func killAfter(
        _ goal: Int, _ campaign: String, _ server: ServerProcess, _ service: PushService, _ stage: Stage
    ) async throws -> Int {
        let admin = stage.admin(server)
        var mostUnrecorded = 0
        let recorded = try await eventually("outcomes are recorded while the campaign runs", every: .milliseconds(20)) {
            // In this order, so that what is recorded meanwhile does not count as missing.
            let reached = service.reached.count
            let recorded = try await admin.campaign(campaign).counts.accepted
            mostUnrecorded = max(mostUnrecorded, reached - recorded)
            return recorded
        } until: {
            $0 >= goal
        }
        #expect(mostUnrecorded <= Self.unrecorded, "outcomes are recorded as they come, not a batch at a time")
        #expect(await server.kill9() == .signal(SIGKILL))
        return recorded
    }

    /// The tokens that the push service took from servers that are dead: what they had sent has all arrived.
    private func reachedByTheDead(_ service: PushService) async throws -> Set<String> {
        try await eventually("the dead server's connections end", every: .milliseconds(10)) {
            service.simulator.statistics.openConnections
        } until: {
            $0 == 0
        }
        return service.reached
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
        #expect(counts.suppressed == fleet.members(of: .refusing).count + fleet.members(of: .tokenless).count)
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
        case .refusing, .tokenless: .suppressed
        case .gone: .rejected
        }
    }

    fileprivate var reason: String? {
        switch self {
        case .reachable: nil
        case .refusing: DeliveryReason.optedOut(.osSetting).rawValue
        case .tokenless: DeliveryReason.noToken.rawValue
        case .gone: APNsSimulator.Reason.unregistered.rawValue
        }
    }
}
