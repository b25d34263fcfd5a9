import BelfryModel
import BelfryServerTestSupport
import BelfrySimulators
import Foundation
import Testing

@Suite("Two servers share a database")
struct SharedCampaignTests {
    /// One server takes sixteen batches of 1,000 at once; the next is the other's.
    static let devices = 16_400
    /// Sends at a time of each connection.
    static let streams = 20
    /// Requests that a killed server had written to its two connections may still arrive.
    static let onTheWay = 2 * streams

    @Test(
        """
        PUSH-5, REL-2, CAMP-2, STO-2: two servers share a campaign, either one pauses both, and when one is killed the \
        other serves everyone: each device once, but for what was in flight
        """,
        .timeLimit(.minutes(15))
    )
    func shareCampaign() async throws {
        // Each of the two sends 40 at a time, two seconds each until they pause: it is amid the campaign, however late.
        try await withPushService(streams: Self.streams, answerAfter: .seconds(2)) { service in
            try await withStage { stage in
                try await stage.withDatabase(.postgres) { database in
                    try await stage.withTwoServers(on: database) { first, second in
                        #expect(first.adminKey == second.adminKey, "both take the same admin key")
                        let (fleet, campaign) = try await launch(first, service, database, stage)
                        try await work(stage, on: [first, second])
                        try await pause(campaign, on: [first, second], service, database, stage)

                        let (victim, other) = try await resume(campaign, service, stage, on: first, second)
                        #expect(await victim.kill9() == .signal(SIGKILL))
                        #expect(try await database.pending() > 0, "the kill came amid the campaign")
                        service.simulator.setFaults(.none)
                        // In this order: what is recorded meanwhile does not count as open.
                        let recorded = try await database.accepted().count
                        let mayRepeat = service.simulator.history.count - recorded + Self.onTheWay
                        try await complete(
                            campaign, fleet, stage.admin(other), service, database, mayRepeat: mayRepeat)
                    }
                }
            }
        }
    }

    private func launch(
        _ first: ServerProcess, _ service: PushService, _ database: ServerDatabase, _ stage: Stage
    ) async throws -> (TestFleet, campaign: String) {
        let admin = stage.admin(first)
        try await admin.createApp()
        try await admin.putCredentials(service.credentials)
        let fleet = try await TestFleet.write(Self.devices, to: database, at: first, with: service, stage)
        let campaign = try await admin.createCampaign("Shared")
        try await admin.change(campaign, "launch")
        return (fleet, campaign)
    }

    /// Both send: the second server finds the campaign that the first has launched.
    private func work(_ stage: Stage, on servers: [ServerProcess]) async throws {
        for server in servers {
            try await eventually("each server sends") {
                try await stage.accepted(by: server)
            } until: {
                $0 > 0
            }
        }
    }

    /// Returns the one that sends first, and the other. Mostly the first is the one that was asked; but the other looks
    /// by itself, and when that look comes before, it takes all batches. However late the test sees that, the campaign is
    /// not over: the push service falls silent first.
    private func resume(
        _ campaign: String, _ service: PushService, _ stage: Stage, on asked: ServerProcess, _ second: ServerProcess
    ) async throws -> (sends: ServerProcess, other: ServerProcess) {
        service.simulator.setFaults(
            try FaultPlan(seed: 1, rates: [.slowAnswer: 1], slowAnswer: .milliseconds(80), silentAfter: 400))
        let before = try await stage.accepted(by: [asked, second])
        try await stage.admin(asked).change(campaign, "resume")
        let now = try await eventually("one of them continues") {
            try await stage.accepted(by: [asked, second])
        } until: {
            $0 != before
        }
        return now[0] > before[0] ? (asked, second) : (second, asked)
    }

    /// The server that is asked stops both: neither begins more than it had already handed to the transport.
    private func pause(
        _ campaign: String, on servers: [ServerProcess], _ service: PushService, _ database: ServerDatabase,
        _ stage: Stage
    ) async throws {
        let admin = stage.admin(servers[1])
        #expect(try await admin.change(campaign, "pause") == .paused)
        service.simulator.setFaults(
            try FaultPlan(seed: 1, rates: [.slowAnswer: 1], slowAnswer: .milliseconds(80)))
        let before = service.reached.count
        // A server gives a batch back when everything that it had begun of it has ended and is recorded. That both stand
        // still for a while says nothing on a busy machine: requests may be on their way.
        try await eventually("what was in flight is recorded", every: .milliseconds(200)) {
            (inWork: try await database.batchesInWork(), accepted: try await database.accepted().count)
        } until: {
            $0.inWork == 0
        }
        let recorded = try await admin.campaign(campaign).counts.accepted
        #expect(recorded < Self.devices, "the pause came amid the campaign")
        // At most the windows of the batches that the two had.
        let batches = (Self.devices + 999) / 1_000
        #expect(recorded - before <= 256 * batches, "only what was in flight left after the pause")
        // A server that stood still for longer than a lease has lost its batches to the other, which sends their windows
        // again; otherwise nobody got it twice.
        let takenOver = try await stage.takenOver(by: servers)
        let repeated = service.simulator.history.count - recorded
        #expect(0...256 * takenOver ~= repeated, "got it twice: \(repeated); leases taken over: \(takenOver)")
        #expect(try await database.accepted().count == recorded)
    }

    private func complete(
        _ campaign: String, _ fleet: TestFleet, _ admin: AdminCaller, _ service: PushService,
        _ database: ServerDatabase,
        mayRepeat: Int
    ) async throws {
        let response = try await eventually("the campaign completes", every: .milliseconds(100)) {
            try await admin.campaign(campaign)
        } until: {
            $0.status == .completed
        }
        #expect(response.counts.audience == Self.devices && response.counts.accepted == Self.devices)
        #expect(try await database.accepted().count == Self.devices)
        try PushRecord.check(
            service, tokens: fleet.reachableTokens, campaigns: [campaign], mayRepeat: mayRepeat,
            "One of two was killed."
        )
    }
}

extension Stage {
    /// How many batches they have taken over from others, or from themselves.
    fileprivate func takenOver(by servers: [ServerProcess]) async throws -> Int {
        var count = 0
        for server in servers { count += try await metric("belfry_leases_taken_over_total", of: server) }
        return count
    }
}
