import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

/// FLEET-5: the writes that devices make most often are marked as ones that change rows of devices and contacts alone
/// (``JointCall/isOfDevices``), so that their commits need not be prepared. The mark is a promise, and nobody else sees
/// whether it is kept.
struct DeviceWriteTests {
    /// The tables that statements change. Words of SQL are written in capitals.
    private static func changed(by statements: some Sequence<SQLText>) -> Set<String> {
        Set(
            statements.flatMap { sql in
                sql.statement.matches(of: /(?:INSERT INTO|DELETE FROM|UPDATE) "?([a-z_0-9]+)/).map { String($0.1) }
            }
        )
    }

    private static func local(_ tables: Set<String>) -> Set<String> {
        tables.filter { Distribution.place(of: $0) == .local }
    }

    @Test("FLEET-5: uploads of events, whatever they report, change no table that is only on the coordinator")
    func uploads() async throws {
        let story = try await ReportStory(.ofThisRun)
        let counted = CountingDatabase(story.world.database)
        var dice = SeededGenerator(seed: 1)
        for _ in 0..<4 { _ = try await story.upload(try story.events(200, using: &dice), to: counted) }
        let tables = Self.changed(by: counted.written.keys)
        #expect(tables.isSuperset(of: ["events", "deliveries", "in_app_copies", "center_engagement"]))
        #expect(Self.local(tables).isEmpty)
    }

    @Test("FLEET-5: the receipt of a registration changes no table that is only on the coordinator")
    func receipt() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        let counted = CountingDatabase(world.database)
        let intake = RegistrationIngestion(
            database: counted, keys: world.keys, environment: world.environment, received: world.received
        )
        let (id, caller) = ("00000000-0000-4000-8000-000000000001", try device.authenticated())
        let snapshot = RegistrationSnapshot(
            deviceId: device.client.rawValue, registrationId: id, revision: 1, pushEnabled: true
        )
        let incoming = try IncomingSnapshot(
            deviceID: device.client.rawValue, registrationID: id, revision: 1, text: try JSONText.encode(snapshot),
            caller: caller
        )
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            intake.receive(incoming, caller: caller) { continuation.resume(with: $0.map { _ in }) }
        }
        let tables = Self.changed(by: counted.written.keys)
        #expect(tables.contains("registrations"))
        #expect(Self.local(tables).isEmpty)
    }
}
