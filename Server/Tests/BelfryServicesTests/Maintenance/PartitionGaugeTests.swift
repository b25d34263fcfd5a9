import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct PartitionGaugeTests {
    @Test(
        "FLEET-3: a metric counts missing partitions; the upkeep makes them, and drops those that are too old",
        arguments: Engine.ofEachRun
    )
    func missing(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let gauge = world.gauge(.partitions(of: world.database, environment: world.environment))
        let name = "belfry_partitions_missing{table=\"audit_log\"}"
        // Where there are none, none is missing.
        func expect(_ count: Int) async {
            await gauge.look()
            #expect(world.metrics.values[name] == (engine == .postgres ? count : nil))
        }
        try await world.database.write { connection in
            try connection.audit.append(
                AuditEntry(at: ServiceWorld.epoch, actor: "root", app: nil, action: "read", target: nil))
        }
        await expect(3)
        await world.housekeeping.tidy()
        await expect(0)
        world.clock.advance(by: 600 * 86_400)
        await expect(3)
        await world.housekeeping.tidy()
        await expect(0)
        #expect(try await world.rows("audit_log", where: "at = \(ServiceWorld.epoch.milliseconds)") == 0)
    }
}
