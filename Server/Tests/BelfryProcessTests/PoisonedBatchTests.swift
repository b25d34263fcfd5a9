import BelfryAPI
import BelfryModel
import BelfrySimulators
import Foundation
import Testing

/// A push service takes a campaign's messages and answers none, and each server is killed when it has waited for a while:
/// none gets on with that batch.
@Suite("A batch that crashes every server")
struct PoisonedBatchTests {
    /// One amid a group, and three alone.
    private static let kills = 4

    @Test(
        "SEC-8, CLI-4: a batch is quarantined after three attempts alone, another app continues, a retry sends it",
        .timeLimit(.minutes(15))
    )
    func quarantine() async throws {
        try await withPushService(faults: FaultPlan(seed: 1, rates: [.noAnswer: 1])) { silent in
            try await withPushService { healthy in
                try await withStage { stage in
                    try await stage.withDatabase(.sqlite) { try await story($0, silent, healthy, stage) }
                }
            }
        }
    }

    private func story(
        _ database: ServerDatabase, _ silent: PushService, _ healthy: PushService, _ stage: Stage
    ) async throws {
        let bad = try await stage.withServer { server in
            let bad = try await prepare(server, silent, healthy, stage)
            try await killAmid(server, silent, number: 1, database)
            return bad
        }
        for kill in 2...Self.kills {
            try await stage.withServer { server in
                if kill == 2 { try await launchAnother(server, stage) }
                try await killAmid(server, silent, number: kill, database)
            }
        }
        try await stage.withServer { server in try await retry(bad, server, silent, stage) }
    }

    /// Makes both apps, and launches the campaign that nobody answers.
    private func prepare(
        _ server: ServerProcess, _ silent: PushService, _ healthy: PushService, _ stage: Stage
    ) async throws -> String {
        let admin = stage.admin(server)
        try await admin.createApp()
        try await admin.putCredentials(silent.credentials)
        _ = try await TestFleet.register(1, at: server, with: silent, stage)
        let other = stage.admin(server, app: "other")
        try await other.createApp()
        try await other.putCredentials(healthy.credentials)
        let device = DeviceCaller(app: "other", server: server, http: stage.http)
        try await device.linkAnonymously()
        let token = healthy.simulator.issueToken(topic: PushService.topic, environment: .production)
        try await device.putPushToken(token, environment: .production)
        let bad = try await admin.createCampaign("Unanswered")
        try await admin.change(bad, "launch")
        return bad
    }

    /// Kills the server once the push service has taken the message from it, as from all before, and the attempt counts.
    private func killAmid(_ server: ServerProcess, _ silent: PushService, number: Int, _ database: ServerDatabase)
        async throws
    {
        try await eventually("the message leaves", every: .milliseconds(10)) {
            silent.simulator.history.count
        } until: {
            $0 >= number
        }
        try await eventually("the attempt is counted", every: .milliseconds(100)) {
            try await database.attempts()
        } until: {
            $0 == number - 1
        }
        #expect(await server.kill9() == .signal(SIGKILL))
    }

    /// Another app's campaign does not wait for it.
    private func launchAnother(_ server: ServerProcess, _ stage: Stage) async throws {
        let other = stage.admin(server, app: "other")
        let campaign = try await other.createCampaign("Answered")
        try await other.change(campaign, "launch")
        try await eventually("the other app's campaign completes") {
            try await other.campaign(campaign)
        } until: {
            $0.status == .completed && $0.counts.accepted == 1
        }
    }

    private func retry(_ bad: String, _ server: ServerProcess, _ silent: PushService, _ stage: Stage) async throws {
        let admin = stage.admin(server)
        let list = try await eventually("the batch is quarantined") {
            try await stage.answer(["quarantine", "list"], at: server.address, as: QuarantineResponse.self)
        } until: {
            !$0.work.isEmpty
        }
        let work = try #require(list.work.first)
        #expect(list.work.count == 1 && work.kind == "batch" && work.app == "shop" && work.campaign == bad)
        #expect(work.attempts == 3)
        let campaign = try await admin.campaign(bad)
        #expect(campaign.status == .sending && campaign.statusReason?.contains("in quarantine") == true)
        #expect(campaign.counts.pending == 1)
        let table = try await stage.command(["quarantine", "list"], at: server.address)
        #expect(table.output.contains(work.id) && table.output.contains("shop"))
        let metrics = try await stage.http.call(.GET, server.address + "/metrics")
        #expect(String(decoding: metrics.body, as: UTF8.self).contains("belfry_quarantined_total{kind=\"batch\"} 1"))

        silent.simulator.setFaults(.none)
        let retried = try await stage.command(["quarantine", "retry", work.id], at: server.address)
        #expect(retried.exit == .code(0), "\(retried.errors)")
        try await eventually("the campaign completes") {
            try await admin.campaign(bad)
        } until: {
            $0.status == .completed && $0.counts.accepted == 1
        }
        let again = try await stage.command(["quarantine", "drop", work.id], at: server.address)
        #expect(again.exit != .code(0) && again.errors.contains(work.id))
        let empty = try await stage.command(["quarantine", "list"], at: server.address)
        #expect(empty.output.contains("Nothing is in quarantine."))
    }
}
