import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryWire
import Foundation
import Testing

/// STO-3, FLEET-5, FLEET-6: servers whose database several servers hold together.
@Suite("Servers on a Citus cluster", .enabled(if: TestCitus.isThere, TestCitus.reason))
struct DistributedServerTests {
    private static let devices = 20
    private static let options = ["--rate-limit", "off", "--distributed"]

    @Test(
        """
        STO-3, FLEET-5, REG-20, EVT-1, LED-2, CLI-6: a server distributes its database, another one finds it so; devices \
        register, send events and get a campaign, and a server that starts later knows of it
        """,
        .timeLimit(.minutes(15))
    )
    func story() async throws {
        try await withPushService { service in
            try await withStage { stage in
                try await stage.withCluster { database in
                    let second = stage.folder.appending(path: "second", directoryHint: .isDirectory)
                    let (campaign, device) = try await stage.withServer(
                        environment: database.environment, options: Self.options
                    ) { first in
                        try await stage.withServer(data: second, environment: database.environment) { plain in
                            try await tell(first, plain, database, service, stage)
                        }
                    }
                    try await stage.withServer(environment: database.environment, options: Self.options) { server in
                        let explanation = try await stage.admin(server).explain(campaign, device: device)
                        #expect(explanation.state == DeliveryState.accepted.rawValue)
                    }
                    let report = try await stage.command(["doctor", "--json"], environment: database.environment)
                    #expect(report.output.contains("The database is distributed over 3 servers"), "\(report.output)")
                }
            }
        }
    }

    /// - Parameters:
    ///   - first: has distributed the database.
    ///   - plain: was not told that it is distributed.
    private func tell(
        _ first: ServerProcess, _ plain: ServerProcess, _ database: ServerDatabase, _ service: PushService,
        _ stage: Stage
    ) async throws -> (campaign: String, device: String) {
        let admin = stage.admin(first)
        try await admin.createApp()
        try await admin.putCredentials(service.credentials)
        let fleet = try await TestFleet.register(Self.devices, at: plain, with: service, stage)
        // Who takes the database for one on one server writes no directories.
        let entries = try await database.opened { store in
            try await store.database.read { connection in
                try connection.query(
                    "SELECT count(*) FROM client_ids UNION ALL SELECT count(*) FROM push_tokens", []
                ) { Int($0.integer(0)) }
            }
        }
        #expect(entries == [Self.devices, Self.devices])
        let device = fleet.sender
        let snapshot = RegistrationSnapshot(
            deviceId: device.id, registrationId: UUID().uuidString, revision: 1, pushEnabled: true,
            system: SystemProperties(appVersion: "1.0.1")
        )
        try await device.register(snapshot)
        let receipt = try await eventually("a registration is processed", every: .milliseconds(20)) {
            try await device.receipt(snapshot.registrationId)
        } until: {
            $0.status != .received
        }
        #expect(receipt.status == .processed)
        let id = UUID().uuidString
        try await device.send([.custom("tapped", id: id)])
        let events = try await admin.eventIDs(of: device.id)
        #expect(events == [id])
        let campaign = try await admin.createCampaign("Hello")
        try await admin.change(campaign, "launch")
        let response = try await eventually("the campaign completes") {
            try await admin.campaign(campaign)
        } until: {
            $0.status == .completed
        }
        #expect(response.counts.audience == Self.devices && response.counts.accepted == Self.devices)
        #expect(service.reached == fleet.reachableTokens)
        return (campaign, device.id)
    }
}

extension Stage {
    /// Gives the stage's servers an empty schema on the cluster of the run, which is gone afterwards.
    fileprivate func withCluster(_ body: (ServerDatabase) async throws -> Void) async throws {
        let schema = "belfry-cluster-\(UUID().uuidString)"
        try await offPool { try TestCitus.makeSchema(schema) }
        let outcome: Result<Void, any Error>
        do {
            let address = try TestCitus.text(schema: schema)
            let database = ServerDatabase(environment: ServerDatabase.environment(address)) {
                try OpenTestStore(address: address)
            }
            outcome = .success(try await body(database))
        } catch {
            outcome = .failure(error)
        }
        try await offPool { try TestCitus.dropSchema(schema) }
        try outcome.get()
    }
}
