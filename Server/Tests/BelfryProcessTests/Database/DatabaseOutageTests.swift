import BelfryModel
import BelfrySimulators
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@Suite("PostgreSQL goes away")
struct DatabaseOutageTests {
    static let devices = 400
    static let writers = 4

    @Test(
        """
        REL-6, STO-2, WIRE-25, WIRE-26, EVT-3, PUSH-5: while PostgreSQL is gone calls get 503 and nothing is \
        acknowledged; when it is back the server goes on by itself, no acknowledged write is lost, and a campaign \
        reaches everyone
        """,
        .timeLimit(.minutes(20))
    )
    func comesBack() async throws {
        // 20 sends at a time, a second each. A window of 256 leaves even without a database; the service falls silent
        // before everybody is reached, however late the outage comes.
        let faults = try FaultPlan(
            seed: 1, rates: [.slowAnswer: 1], slowAnswer: .seconds(1), silentAfter: Self.devices / 2
        )
        try await withPushService(streams: 10, faults: faults) { service in
            try await withStage { stage in
                try await stage.withPostgresCluster { cluster in
                    try await expectPasswordRejected(cluster, stage)
                    let address = cluster.address(password: PostgresCluster.password)
                    try await stage.withServer(environment: ServerDatabase.environment(address)) { server in
                        try await story(server, cluster, service, stage)
                        #expect(!server.run.standardError.contains(PostgresCluster.password), "SEC-3")
                    }
                }
            }
        }
    }

    private func expectPasswordRejected(_ cluster: PostgresCluster, _ stage: Stage) async throws {
        let address = cluster.address(password: "open-barley")
        let run = try stage.startServer(environment: ServerDatabase.environment(address))
        #expect(await run.address == nil, "it must not start")
        let exit = await run.exit
        let text = run.standardError
        #expect(exit == .code(1), "\(text)")
        #expect(text.contains("password authentication failed"), "\(text)")
        #expect(!text.contains("open-barley"), "a secret is never shown")
    }

    private func story(
        _ server: ServerProcess, _ cluster: PostgresCluster, _ service: PushService, _ stage: Stage
    ) async throws {
        let admin = stage.admin(server)
        try await admin.createApp()
        try await admin.putCredentials(service.credentials)
        let fleet = try await TestFleet.register(Self.devices, at: server, with: service, stage)
        let over = Latch<Void>()
        let sent = try await withThrowingTaskGroup(of: (String, [String]).self) { group in
            for member in fleet.members.prefix(Self.writers) {
                group.addTask { (member.device.id, try await sendEvents(from: member.device, until: over)) }
            }
            defer { over.set(()) }
            let campaign = try await admin.createCampaign("Interrupted")
            try await admin.change(campaign, "launch")
            try await eventually("the campaign is under way", every: .milliseconds(10)) {
                service.reached.count
            } until: {
                $0 >= Self.devices / 8
            }
            let recorded = try await admin.campaign(campaign).counts.accepted
            try await cluster.crash()
            try await checkOutage(server, stage)
            #expect(service.reached.count < Self.devices, "the outage came amid the campaign")
            try await cluster.start()
            // Sends whose outcomes could not be written meanwhile.
            let mayRepeat = service.simulator.history.count - recorded
            service.simulator.setFaults(.none)
            try await checkCompleted(campaign, fleet, service, admin, mayRepeat: mayRepeat)
            over.set(())
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for (device, ids) in sent {
            #expect(!ids.isEmpty)
            #expect(try await admin.eventIDs(of: device).sorted() == ids.sorted(), "each is stored, and stored once")
        }
    }

    private func checkOutage(_ server: ServerProcess, _ stage: Stage) async throws {
        try await eventually("the server says that it cannot serve", every: .milliseconds(20)) {
            try await stage.http.answer(.GET, "\(server.address)/readyz").status
        } until: {
            $0 == 503
        }
        #expect(try await stage.http.answer(.GET, "\(server.address)/healthz").status == 200, "the process lives")
        let link = try await stage.http.answer(
            .POST, "\(server.address)/v3/apps/shop/client/contact?anonymous=true",
            headers: [(HeaderNames.clientID, UUID().uuidString), (HeaderNames.requestOrder, "1")]
        )
        #expect(link.status == 503)
        #expect(link.headers.first(name: "Retry-After").flatMap { Int($0) } != nil)
    }

    private func checkCompleted(
        _ campaign: String, _ fleet: TestFleet, _ service: PushService, _ admin: AdminCaller, mayRepeat: Int
    ) async throws {
        try await eventually("the server serves again by itself", every: .milliseconds(100)) {
            try await admin.http.answer(.GET, "\(admin.server.address)/readyz").status
        } until: {
            $0 == 200
        }
        let response = try await eventually("the campaign completes", every: .milliseconds(100)) {
            // The connections come back one by one.
            try? await admin.campaign(campaign)
        } until: {
            $0?.status == .completed
        }
        #expect(response?.counts.accepted == Self.devices)
        try PushRecord.check(
            service, tokens: fleet.reachableTokens, campaigns: [campaign], mayRepeat: mayRepeat,
            "The database was gone."
        )
    }
}
