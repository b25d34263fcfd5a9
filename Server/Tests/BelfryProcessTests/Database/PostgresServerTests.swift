import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfrySimulators
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@Suite("Servers on PostgreSQL")
struct PostgresServerTests {
    static let phones = 100

    /// The same phone before and after the app was installed again: two devices, and one push token.
    private struct Phone: Sendable {
        let former: DeviceCaller
        let current: DeviceCaller
        let token: String
    }

    @Test(
        "STO-1, STO-2, ADM-1: two servers that start at once on an empty database both come up, with one admin key",
        .timeLimit(.minutes(10))
    )
    func startTogether() async throws {
        try await withStage { stage in
            try await stage.withDatabase(.postgres) { database in
                let places = ["a", "b"].map { stage.folder.appending(path: $0) }
                let runs = try places.map { try stage.startServer(data: $0, environment: database.environment) }
                for run in runs {
                    let address = await run.address
                    #expect(address != nil, "\(run.standardError)")
                    if let address { _ = try await stage.http.call(.GET, "\(address)/readyz") }
                }
                let keys = try places.map { try Data(contentsOf: $0.appending(path: "admin-key")) }
                #expect(keys[0] == keys[1] && keys[0].count >= 32)
                for run in runs {
                    run.send(SIGTERM)
                    #expect(await run.exit == .code(0), "\(run.standardError)")
                }
            }
        }
    }

    @Test(
        "REG-20, REG-27, REG-21, STO-2: devices register at two servers at once: each once, none lost, tokens move",
        .timeLimit(.minutes(10))
    )
    func registerAtBoth() async throws {
        try await withStage { stage in
            try await stage.withDatabase(.postgres) { database in
                try await stage.withTwoServers(on: database) { first, second in
                    let admin = stage.admin(first)
                    try await admin.createApp()
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for number in 0..<Self.phones {
                            let servers = number.isMultiple(of: 2) ? (first, second) : (second, first)
                            if number >= 16 { try await group.next() }
                            group.addTask { try await replace(phone(number, servers, stage), servers, admin) }
                        }
                        try await group.waitForAll()
                    }
                }
            }
        }
    }

    private func phone(_ number: Int, _ servers: (ServerProcess, ServerProcess), _ stage: Stage) -> Phone {
        let token = String(repeating: "0", count: 60) + String(10_000 + number).suffix(4)
        return Phone(
            former: DeviceCaller(server: servers.0, http: stage.http),
            current: DeviceCaller(server: servers.1, http: stage.http), token: token
        )
    }

    /// The app is installed again while the former installation's last words are still under way at the other server.
    private func replace(
        _ phone: Phone, _ servers: (ServerProcess, ServerProcess), _ admin: AdminCaller
    ) async throws {
        try await phone.former.linkAnonymously()
        try await phone.former.putPushToken(phone.token, environment: .production)
        try await phone.current.linkAnonymously()
        let last = snapshot(of: phone.former, revision: 1)
        let snapshots = (1...2).map { snapshot(of: phone.current, revision: $0) }
        async let lastWord = phone.former.register(last)
        async let token: Void = phone.current.putPushToken(phone.token, environment: .production)
        _ = try await phone.current.register(snapshots[0])
        _ = try await (lastWord, token)
        // The newer one at the other server, and the older one again there: it was answered, and the response was lost.
        await phone.current.move(to: servers.0)
        async let again = phone.current.register(snapshots[0])
        _ = try await phone.current.register(snapshots[1])
        _ = try await again

        try await expectProcessed([last], of: phone.former)
        try await expectProcessed(snapshots, of: phone.current)
        let former = try await admin.device(phone.former.id)
        let current = try await admin.device(phone.current.id)
        #expect(former.pushToken == nil && !former.push.eligible, "two devices have one token")
        #expect(current.pushToken != nil && current.push.eligible)
        #expect(current.revision == 2 && current.system.appVersion == "1.0.2")
    }

    private func snapshot(of device: DeviceCaller, revision: Int64) -> RegistrationSnapshot {
        RegistrationSnapshot(
            deviceId: device.id, registrationId: UUID().uuidString, revision: revision, pushEnabled: true,
            system: SystemProperties(appVersion: "1.0.\(revision)")
        )
    }

    private func expectProcessed(_ snapshots: [RegistrationSnapshot], of device: DeviceCaller) async throws {
        for snapshot in snapshots {
            let receipt = try await eventually("a registration is processed", every: .milliseconds(20)) {
                try await device.receipt(snapshot.registrationId)
            } until: {
                $0.status != .received
            }
            // A registration that was overtaken by a newer one is reported as superseded.
            let isLast = snapshot.revision == snapshots.last?.revision
            #expect(receipt.status == .processed || !isLast && receipt.status == .superseded)
        }
    }

    @Test(
        "STO-2, REG-20, EVT-1, LED-2, CLI-2: the whole story of a push on PostgreSQL, which outlives the server",
        .timeLimit(.minutes(10))
    )
    func story() async throws {
        try await withPushService { service in
            try await withStage { stage in
                try await stage.withDatabase(.postgres) { database in
                    let (fleet, campaign, event) = try await stage.withServer(environment: database.environment) {
                        let output = try await tell($0, service, stage)
                        #expect(await $0.terminate() == .code(0))
                        return output
                    }
                    try await stage.withServer(environment: database.environment) { server in
                        let admin = stage.admin(server)
                        let device = try #require(fleet.members(of: .reachable).first).device.id
                        #expect(try await admin.eventIDs(of: device) == [event])
                        let explanation = try await admin.explain(campaign, device: device)
                        #expect(explanation.state == DeliveryState.accepted.rawValue)
                        #expect(!explanation.sentence.isEmpty && !explanation.history.isEmpty)
                        let gone = try #require(fleet.members(of: .gone).first).device.id
                        let reason = APNsSimulator.Reason.unregistered.rawValue
                        #expect(try await admin.explain(campaign, device: gone).reason == reason)
                        #expect(try await admin.device(gone).push.eligible == false)
                    }
                }
            }
        }
    }

    private func tell(
        _ server: ServerProcess, _ service: PushService, _ stage: Stage
    ) async throws -> (TestFleet, campaign: String, event: String) {
        let admin = stage.admin(server)
        try await admin.createApp()
        try await admin.putCredentials(service.credentials)
        let fleet = try await TestFleet.register(40, mixed: true, at: server, with: service, stage)
        let device = try #require(fleet.members(of: .reachable).first).device
        try await device.link(to: "anna")
        let snapshot = snapshot(of: device, revision: 1)
        try await device.register(snapshot)
        try await expectProcessed([snapshot], of: device)
        let event = WireEvent(
            id: UUID().uuidString, type: "custom", name: "tapped", timestamp: Timestamp.text(Date()), attributes: [:]
        )
        try await device.send([event])
        let campaign = try await admin.createCampaign("Hello")
        try await admin.change(campaign, "launch")
        let response = try await eventually("the campaign completes") {
            try await admin.campaign(campaign)
        } until: {
            $0.status == .completed
        }
        #expect(response.counts.audience == 40 && response.counts.pending == 0)
        #expect(response.counts.accepted == fleet.members(of: .reachable).count)
        return (fleet, campaign, try #require(event.id))
    }
}
