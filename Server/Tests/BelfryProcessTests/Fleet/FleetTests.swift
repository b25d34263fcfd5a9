import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfrySimulators
import BelfryTestSupport
import BelfryWire
import Foundation
import NIOHTTP1
import Testing

@Suite("A fleet of api and worker processes")
struct FleetTests {
    /// More than one batch, and sent for some seconds.
    static let devices = 2_400
    /// Sends at a time of each connection.
    static let streams = 20
    /// Requests that a killed worker had written to its two connections may still arrive.
    static let onTheWay = 2 * streams
    static let phones = 20

    @Test(
        """
        FLEET-1, STO-2, PUSH-5, REG-20, EVT-3: two api and two worker processes share a database: what one api takes the \
        workers do, a worker is killed and an api stopped amid a campaign, the others go on, and nothing is lost
        """,
        .timeLimit(.minutes(15))
    )
    func story() async throws {
        // It falls silent before all are reached, so that the kill comes amid the campaign, however late it comes.
        let faults = try FaultPlan(
            seed: 1, rates: [.slowAnswer: 1], slowAnswer: .milliseconds(40), silentAfter: Self.devices / 4
        )
        try await withPushService(streams: Self.streams, faults: faults) { service in
            try await withStage { stage in
                try await stage.withDatabase(.postgres) { database in
                    try await stage.withFleet(on: database) { fleet in
                        try await tell(fleet, service, database, stage)
                    }
                }
            }
        }
    }

    private func tell(
        _ fleet: ServerFleet, _ service: PushService, _ database: ServerDatabase, _ stage: Stage
    ) async throws {
        for worker in fleet.workers { try await expectHealthOnly(worker, stage) }
        let (first, second) = (stage.admin(fleet.apis[0]), stage.admin(fleet.apis[1]))
        try await first.createApp()
        try await first.putCredentials(service.credentials)
        // In the table first: the phones below have no tokens.
        let audience = try await TestFleet.write(
            Self.devices, to: database, at: fleet.apis[0], with: service, stage
        )
        let phones = try await registerPhones(at: fleet.apis, stage)

        let campaign = try await first.createCampaign("Fleet")
        try await first.change(campaign, "launch")
        let working = try await eventually("a worker sends") {
            try await stage.accepted(by: fleet.workers)
        } until: {
            $0.contains { $0 > 0 }
        }
        let victim = working[0] > 0 ? 0 : 1
        #expect(await fleet.workers[victim].kill9() == .signal(SIGKILL))
        service.simulator.setFaults(.none)
        // In this order: what is recorded meanwhile does not count as open.
        let recorded = try await database.accepted().count
        let mayRepeat = service.simulator.history.count - recorded + Self.onTheWay
        #expect(recorded < Self.devices, "the kill came amid the campaign")

        // What the first api has acknowledged, the second one knows when the first is gone.
        let event = WireEvent(
            id: UUID().uuidString, type: "custom", name: "tapped", timestamp: Timestamp.text(Date()), attributes: [:]
        )
        try await phones[0].send([event])
        #expect(await fleet.apis[0].terminate() == .code(0), "\(fleet.apis[0].run.standardError)")
        #expect(try await second.eventIDs(of: phones[0].id) == [try #require(event.id)])
        await phones[0].move(to: fleet.apis[1])
        try await registerAgain(phones[0])

        let response = try await eventually("the campaign completes", every: .milliseconds(100)) {
            try await second.campaign(campaign)
        } until: {
            $0.status == .completed
        }
        #expect(response.counts.audience == Self.devices + Self.phones && response.counts.pending == 0)
        #expect(response.counts.accepted == Self.devices)
        try PushRecord.check(
            service, tokens: audience.reachableTokens, campaigns: [campaign], mayRepeat: mayRepeat,
            "One of two workers was killed."
        )
        #expect(try await stage.accepted(by: fleet.apis[1]) == 0, "an api sends nothing")
        try await expectNewcomers(fleet, database, stage)
    }

    /// It says how it is, and sends away whoever a balancer has sent here by mistake, who comes again elsewhere.
    private func expectHealthOnly(_ worker: ServerProcess, _ stage: Stage) async throws {
        for path in ["healthz", "readyz", "metrics"] {
            _ = try await stage.http.call(.GET, "\(worker.address)/\(path)")
        }
        let calls: [(HTTPMethod, String)] = [
            (.GET, "api/v1/apps"), (.POST, "v3/apps/shop/client/events"), (.GET, "console"), (.GET, "openapi.json"),
        ]
        for (method, path) in calls {
            let headers = [("Authorization", "Bearer \(worker.adminKey)")]
            let response = try await stage.http.answer(method, "\(worker.address)/\(path)", headers: headers)
            #expect(response.status == 503 && response.headers.contains(name: "Retry-After"), "\(path)")
            #expect(String(decoding: response.body, as: UTF8.self).contains("worker"), "\(path)")
        }
        let response = try await stage.http.answer(.POST, "\(worker.address)/metrics")
        #expect(response.status == 405)
    }

    /// Phones of both apis: their registrations are stored by one process and applied by another.
    private func registerPhones(at apis: [ServerProcess], _ stage: Stage) async throws -> [DeviceCaller] {
        var phones: [DeviceCaller] = []
        for number in 0..<Self.phones {
            let phone = DeviceCaller(server: apis[number % 2], http: stage.http)
            try await phone.linkAnonymously()
            let snapshot = snapshot(of: phone, revision: 1)
            try await phone.register(snapshot)
            // Its receipt comes from the other api.
            await phone.move(to: apis[1 - number % 2])
            try await expectProcessed(snapshot, of: phone)
            await phone.move(to: apis[number % 2])
            phones.append(phone)
        }
        return phones
    }

    private func registerAgain(_ phone: DeviceCaller) async throws {
        let snapshot = snapshot(of: phone, revision: 2)
        try await phone.register(snapshot)
        try await expectProcessed(snapshot, of: phone)
    }

    private func snapshot(of phone: DeviceCaller, revision: Int64) -> RegistrationSnapshot {
        RegistrationSnapshot(
            deviceId: phone.id, registrationId: UUID().uuidString, revision: revision, pushEnabled: true,
            system: SystemProperties(appVersion: "1.0.\(revision)")
        )
    }

    private func expectProcessed(_ snapshot: RegistrationSnapshot, of phone: DeviceCaller) async throws {
        let receipt = try await eventually("a registration is processed", every: .milliseconds(5)) {
            try await phone.receipt(snapshot.registrationId)
        } until: {
            $0.status != .received
        }
        #expect(receipt.status == .processed)
    }

    /// Processes may come at any time: a server with both roles joins those that are left, and one that was stopped comes
    /// back; those that answer are counted.
    private func expectNewcomers(
        _ fleet: ServerFleet, _ database: ServerDatabase, _ stage: Stage
    ) async throws {
        let place = stage.folder.appending(path: "newcomer", directoryHint: .isDirectory)
        try await stage.withServer(data: place, environment: database.environment) { newcomer in
            let phone = DeviceCaller(server: newcomer, http: stage.http)
            try await phone.linkAnonymously()
            try await registerAgain(phone)
            for server in [newcomer, fleet.apis[1]] {
                try await eventually("both that answer calls are counted") {
                    try await stage.metric("belfry_api_processes", of: server)
                } until: {
                    $0 == 2
                }
            }
        }
    }
}

/// Processes of one database, each with one role.
struct ServerFleet: Sendable {
    let apis: [ServerProcess]
    let workers: [ServerProcess]
}

extension Stage {
    /// Starts two processes of each role that share a database, and ends them, however the body ends.
    func withFleet(on database: ServerDatabase, _ body: (ServerFleet) async throws -> Void) async throws {
        func start(_ role: String, _ body: (ServerProcess) async throws -> Void) async throws {
            let place = folder.appending(path: "\(role)-\(UUID().uuidString)", directoryHint: .isDirectory)
            try await withServer(
                data: place, environment: database.environment, options: ["--role", role, "--rate-limit", "off"], body
            )
        }
        func startTwo(_ role: String, _ body: ([ServerProcess]) async throws -> Void) async throws {
            try await start(role) { first in try await start(role) { try await body([first, $0]) } }
        }
        try await startTwo("api") { apis in
            try await startTwo("worker") { try await body(ServerFleet(apis: apis, workers: $0)) }
        }
    }
}
