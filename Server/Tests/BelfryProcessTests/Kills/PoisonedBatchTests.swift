import BelfryAPI
import BelfryModel
import BelfrySimulators
import Foundation
import Testing

/// A push service takes a campaign's messages and answers none, and each server is killed when it has waited for a while:
/// none gets on with that batch.
@Suite("A batch that crashes every server")
struct PoisonedBatchTests {
    /// So often it is begun alone (`AttemptRule.maximum`).
    private static let attempts = 3

    /// What the push service and the store had of the batch when all servers were dead.
    private struct Past {
        var taken = 0
        /// How often it was begun alone without getting on; nil before the first server.
        var attempts: Int?
    }

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
        var past = Past()
        let bad = try await stage.withServer { server in
            let bad = try await prepare(server, silent, healthy, stage)
            try await killAmid(server, silent, after: past, database)
            return bad
        }
        var isOtherSent = false
        repeat {
            // Pushes of a killed server may still arrive after its death.
            try await silent.buryTheDead()
            past = Past(taken: silent.simulator.history.count, attempts: try await database.attempts())
            guard past.attempts != Self.attempts else { break }
            try await stage.withServer { server in
                if !isOtherSent { try await launchAnother(server, stage) }
                isOtherSent = true
                try await killAmid(server, silent, after: past, database)
            }
        } while true
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

    /// Kills the server once the push service has taken the message from it, as from all before, and the attempt counts:
    /// the first one is amid a group, and each after it is alone.
    ///
    /// Half a minute after a message has left, no response is waited for any more: the batch has got on, and the message
    /// leaves again, amid a group. A busy machine may not come to the kill before that; then the counting begins anew.
    private func killAmid(
        _ server: ServerProcess, _ silent: PushService, after past: Past, _ database: ServerDatabase
    ) async throws {
        let goal = past.attempts.map { $0 + 1 } ?? 0
        try await eventually("the message leaves, and attempt \(goal) counts", every: .milliseconds(50)) {
            // In this order: an attempt is counted before its message leaves, too.
            let taken = silent.simulator.history.count - past.taken
            return (taken: taken, attempts: try await database.attempts())
        } until: {
            $0.taken > 1 || $0.taken == 1 && $0.attempts == goal
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
        #expect(work.attempts == Self.attempts)
        let campaign = try await admin.campaign(bad)
        #expect(campaign.status == .sending && campaign.statusReason?.contains("in quarantine") == true)
        #expect(campaign.counts.pending == 1)
        let table = try await stage.command(["quarantine", "list"], at: server.address)
        #expect(table.output.contains(work.id) && table.output.contains("shop"))
        // It is counted behind the transaction that quarantines it.
        try await eventually("the quarantine is counted") {
            try await stage.metric(#"belfry_quarantined_total{kind="batch"}"#, of: server)
        } until: {
            $0 == 1
        }

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
