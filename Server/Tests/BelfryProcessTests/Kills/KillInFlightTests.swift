import BelfryServerTestSupport
import BelfrySimulators
import Foundation
import Testing

/// The push service falls silent in the middle of a campaign, so that what is in flight at a kill can be counted there.
@Suite("The server is killed while it waits for responses")
struct KillInFlightTests {
    static let kills = RunSettings.kills(50, brief: 2)
    /// Answers of the service in a life of the server; then it takes what comes and is silent. Some come in each life, so
    /// that the batch gets on and is not quarantined.
    static let answers = 3...18
    /// Enough to be interrupted so often.
    static let devices = 20 + kills * answers.upperBound

    @Test(
        "REL-2, PUSH-5, LED-1, STO-2: only sends in flight on the wire at the kill may be repeated",
        .timeLimit(.minutes(kills > 2 ? 60 : 15)), arguments: Engine.allCases
    )
    func repeatsAreInFlight(_ engine: Engine) async throws {
        let seed = RunSettings.seed
        print("REL-2: BELFRY_TEST_SEED=\(seed) repeats this run's choices")
        var random = SimulatorRandom(seed: seed)
        let answers = (0..<Self.kills).map { _ in Int.random(in: Self.answers, using: &random) }
        try await withPushService(streams: 10) { service in
            try await withStage { stage in
                try await stage.withDatabase(engine) { database in
                    try await story(answers, database, service, stage)
                }
            }
        }
    }

    /// - Parameter lives: how many answers each life of the server gets.
    private func story(
        _ lives: [Int], _ database: ServerDatabase, _ service: PushService, _ stage: Stage
    ) async throws {
        let (fleet, campaign) = try await stage.withServer(environment: database.environment) { server in
            let admin = stage.admin(server)
            try await admin.createApp()
            try await admin.putCredentials(service.credentials)
            let fleet = try await TestFleet.register(Self.devices, at: server, with: service, stage)
            return (fleet, try await admin.createCampaign("Interrupted"))
        }
        var record = PushRecord()
        var logs = LeftLogs()
        var inFlightInAll = 0
        for (kill, answers) in lives.enumerated() {
            let context = "Kill \(kill + 1), after \(answers) answers."
            service.simulator.setFaults(try FaultPlan(seed: 1, silentAfter: answers))
            let before = service.simulator.statistics
            try await stage.withServer(environment: database.environment) { server in
                try await database.heatLog(by: fleet.sender, at: server)
                let status = try await stage.admin(server).change(campaign, "launch")
                #expect(status == .sending)
                try await waitForSilence(service, since: before, server, stage)
                #expect(await server.kill9() == .signal(SIGKILL))
            }
            try await logs.add(database, context)
            try await service.buryTheDead()
            // Pushes of a killed server may still arrive after its death, so they are counted only now.
            let inFlight = service.simulator.statistics.unanswered - before.unanswered
            #expect(inFlight > 0 && inFlight < Self.devices, "\(inFlight) in flight. \(context)")
            let (pending, accepted) = try await database.asLeft { left in
                (try await left.pending(), try await left.accepted())
            }
            #expect(pending > 0, "the kill came amid the campaign. \(context)")
            try record.add(service, recorded: accepted, open: .inFlight(inFlight), context)
            print("REL-2: \(context) In flight at the kill: \(inFlight)")
            inFlightInAll += inFlight
        }
        #expect(logs.bytes.count == (database.file == nil ? 0 : Self.kills))
        print(logs.summary)
        service.simulator.setFaults(.none)
        try await stage.withServer(environment: database.environment) { server in
            let response = try await eventually("the campaign completes") {
                try await stage.admin(server).campaign(campaign)
            } until: {
                $0.status == .completed
            }
            #expect(response.counts.accepted == Self.devices && response.counts.audience == Self.devices)
        }
        try PushRecord.check(
            service, tokens: fleet.reachableTokens, campaigns: [campaign], mayRepeat: record.mayRepeat, "At the end."
        )
        let repeats = PushRecord.repeats(service)
        #expect(repeats <= inFlightInAll, "no more is repeated than was in flight on the wire")
        print("REL-2: \(lives.count) kills, in flight at them: \(inFlightInAll), repeats: \(repeats)")
    }

    /// Returns when the service is silent, and all that it had answered is recorded.
    private func waitForSilence(
        _ service: PushService, since before: APNsSimulator.Statistics, _ server: ServerProcess, _ stage: Stage
    ) async throws {
        try await eventually("the service is silent, and what it had answered is recorded", every: .milliseconds(10)) {
            let recorded = try await stage.accepted(by: server)
            let now = service.simulator.statistics
            return (silent: now.unanswered - before.unanswered, open: now.accepted - before.accepted - recorded)
        } until: {
            $0.silent > 0 && $0.open <= $0.silent
        }
    }
}

extension APNsSimulator.Statistics {
    /// Requests that were taken and never answered.
    fileprivate var unanswered: Int { faults[FaultPlan.Fault.noAnswer.rawValue] ?? 0 }
}
