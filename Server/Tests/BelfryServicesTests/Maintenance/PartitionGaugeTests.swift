import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct PartitionGaugeTests {
    @Test(
        """
        FLEET-3: a metric counts missing partitions; the upkeep divides the audit log and the events of a new database, \
        makes what is missing, and drops what is too old
        """,
        arguments: Engine.ofEachRun
    )
    func missing(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let gauge = world.gauge(.partitions(of: world.database, environment: world.environment))
        // Where there are none, none is missing.
        func expect(months: Int, weeks: Int) async {
            await gauge.look()
            for (table, count) in [("audit_log", months), ("events", weeks)] {
                let found = world.metrics.values["belfry_partitions_missing{table=\"\(table)\"}"]
                #expect(found == (engine == .postgres ? count : nil), "\(table)")
            }
        }
        try await world.database.write { connection in
            try connection.audit.append(
                AuditEntry(at: ServiceWorld.epoch, actor: "root", app: nil, action: "read", target: nil))
        }
        // Both are in one piece.
        await expect(months: 3, weeks: 8)
        await world.housekeeping.tidy()
        await expect(months: 0, weeks: 0)
        for table in PartitionedTable.all {
            let names = try await world.database.read { try $0.partitions(of: table)?.parts?.map(\.name) }
            let whole = [table.first.statement, table.rest.statement]
            #expect(names == (engine == .postgres ? whole : nil))
        }
        world.clock.advance(by: 600 * 86_400)
        await expect(months: 3, weeks: 8)
        await world.housekeeping.tidy()
        await expect(months: 0, weeks: 0)
        #expect(try await world.rows("audit_log", where: "at = \(ServiceWorld.epoch.milliseconds)") == 0)
    }
}
