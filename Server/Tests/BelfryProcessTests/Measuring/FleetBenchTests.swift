import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Foundation
import NIOCore
import Testing

@testable import BelfryBench

@Suite("The benchmark of a fleet")
struct FleetBenchTests {
    private static func churn(
        _ name: String, inserts: Int = 0, updates: Int = 0, hot: Int = 0, live: Int = 0, dead: Int = 0
    ) -> TableChurn {
        TableChurn(
            name: name, inserts: inserts, updates: updates, hotUpdates: hot, deletes: 0, liveRows: live, deadRows: dead,
            tableBytes: 8_192, indexBytes: 16_384
        )
    }

    /// As a query gives it.
    private struct Row: SQLRow {
        let values: [String]

        func isNull(_ column: Int) -> Bool { false }
        func integer(_ column: Int) -> Int64 { Int64(values[column]) ?? 0 }
        func text(_ column: Int) -> String { values[column] }
        func blob(_ column: Int) -> [UInt8] { [] }
    }

    @Test("FLEET-8: a row of PostgreSQL's statistics is read column by column")
    func row() {
        let churn = TableChurn(Row(values: ["devices", "9", "8", "7", "6", "5", "4", "3", "2"]))
        #expect(churn.name == "devices" && churn.isHot && !churn.isLedger && churn.isChanged)
        #expect(churn.inserts == 9 && churn.updates == 8 && churn.hotUpdates == 7 && churn.deletes == 6)
        #expect(churn.liveRows == 5 && churn.deadRows == 4 && churn.tableBytes == 3 && churn.indexBytes == 2)
    }

    @Test("FLEET-8: the statistics and sizes of all tables of a schema are read from PostgreSQL")
    func statistics() async throws {
        let schema = "belfry-bench-\(UUID().uuidString)"
        let (tables, usage) = try await offPool { () throws -> ([TableChurn], (logBytes: Int, storedBytes: Int)) in
            try TestPostgres.makeSchema(schema)
            defer { TestPostgres.dropSchema(schema) }
            let address = try TestPostgres.address(schema: schema)
            try PostgresScript.run("CREATE TABLE devices (id BIGINT PRIMARY KEY)", at: address)
            try PostgresScript.run("CREATE TABLE badges (id BIGINT PRIMARY KEY)", at: address)
            // Partitions are the table's that they are of.
            try PostgresScript.run("CREATE TABLE audit_log (at BIGINT NOT NULL) PARTITION BY RANGE (at)", at: address)
            try PostgresScript.run("CREATE TABLE audit_log_rest PARTITION OF audit_log DEFAULT", at: address)
            return try PostgresInspection.read(.ofBench(address)) { connection in
                (try TableChurn.read(connection), try EngineMeter.usage(connection))
            }
        }
        #expect(tables.map(\.name) == ["audit_log", "badges", "devices"])
        #expect(tables.allSatisfy { !$0.isChanged && $0.hotShare == nil && $0.deadShare == nil })
        #expect(usage.logBytes > 0)
        #expect(usage.storedBytes == tables.map { $0.tableBytes + $0.indexBytes }.reduce(0, +))
    }

    @Test("FLEET-8: the plan of a query is made for arguments of the types that they have where it runs")
    func plan() async throws {
        let store = try TestStore(.postgres)
        defer { withExtendedLifetime(store) {} }
        let database = BenchDatabase.postgres(try TestPostgres.address(schema: store.place.lastPathComponent))
        // Nothing in it says of what type the argument is.
        let plan = try await database.plan("SELECT 1 WHERE ? IS NOT NULL", [.text("anna")])
        #expect(plan.contains { line in line.contains("Result") }, "\(plan)")
    }

    @Test("FLEET-8: of what was counted since a moment, sizes and rows are those of now, and a new table counts whole")
    func since() {
        let former = [Self.churn("devices", inserts: 10, updates: 100, hot: 20, live: 10, dead: 3)]
        let tables = [
            Self.churn("devices", inserts: 12, updates: 300, hot: 210, live: 12, dead: 1),
            Self.churn("audience_1", updates: 100, hot: 100, live: 12, dead: 11),
        ]
        let changes = tables.since(former)
        #expect(changes[0] == Self.churn("devices", inserts: 2, updates: 200, hot: 190, live: 12, dead: 1))
        #expect(changes[1] == tables[1])
        #expect(changes[0].hotShare == 0.95)
        #expect(abs((changes.hotShare ?? 0) - 290.0 / 300) < 1e-9)
        #expect(changes.deadShare == 12.0 / 36)
        #expect(tables.since(tables).hotShare == nil, "nothing was updated")
    }

    @Test("FLEET-8: updates are judged over devices, audiences, openings and badges, the ledger beside them")
    func judged() {
        let tables = [
            Self.churn("audience_12", updates: 10, hot: 10), Self.churn("badges", updates: 10, hot: 10),
            Self.churn("deliveries", updates: 100, hot: 1), Self.churn("device_openings", updates: 10, hot: 10),
            Self.churn("devices", updates: 10, hot: 6), Self.churn("registrations", updates: 1_000),
        ]
        let week = FleetBenchReport.Week(storedBytes: 1, freeBytes: nil, tables: tables)
        #expect(week.hotShare == 0.9)
        #expect(week.ledgerHotShare == 0.01)
    }

    @Test("FLEET-8: a process is read from /proc whatever its name is")
    func process() throws {
        let times = "S 41 42 42 0 -1 4194368 137 0 0 0 30 12 500 60 20 0 1 0 7 8"
        let stat = try #require(ProcessStat("77 (a) b (c) \(times)\n"))
        #expect(stat.name == "a) b (c" && stat.parent == 41 && stat.ticks == 42 && stat.childTicks == 560)
        for text in ["", "77", "77 (a", "77 (a) S 41", "77 )a( \(times)", "77 (a) S x\(times.dropFirst(4))"] {
            #expect(ProcessStat(text) == nil, "\(text)")
        }
    }

    @Test("FLEET-8: what the system does not tell is unknown, and not nothing")
    func unknown() {
        let before = EngineCost(
            serverSeconds: 1, databaseSeconds: 2, writtenBytes: 100, logBytes: 50, storedBytes: 1_000
        )
        let after = EngineCost(
            serverSeconds: 1.5, databaseSeconds: 4, writtenBytes: 400, logBytes: 150, storedBytes: 900
        )
        let cost = after.since(before)
        #expect(cost.cpuSeconds == 2.5 && cost.databaseSeconds == 2)
        #expect(cost.writtenBytes == 300 && cost.logBytes == 100 && cost.storedBytes == -100)
        let remote = EngineCost(
            serverSeconds: 1.5, databaseSeconds: nil, writtenBytes: nil, logBytes: 150, storedBytes: 900
        ).since(before)
        #expect(remote.serverSeconds == 0.5 && remote.cpuSeconds == nil && remote.writtenBytes == nil)
    }

    @Test("FLEET-8: costs are those of a thousand operations, and calls are judged by the slowest")
    func thousand() {
        let cost = EngineCost(
            serverSeconds: 1, databaseSeconds: 3, writtenBytes: 4_000_000, logBytes: nil, storedBytes: 500_000
        )
        let phase = FleetBenchReport.Phase(
            .oneEvent, operations: 2_000, seconds: 4, cost: cost,
            milliseconds: [Double](repeating: 2, count: 99) + [70.04],
            tables: [Self.churn("apps"), Self.churn("events", inserts: 2_000)]
        )
        #expect(phase.perSecond == 500)
        #expect(phase.cpuSecondsPer1000 == 2 && phase.databaseCPUSecondsPer1000 == 1.5)
        #expect(phase.writtenBytesPer1000 == 2_000_000 && phase.logBytesPer1000 == nil)
        #expect(phase.storedBytesPer1000 == 250_000)
        #expect(phase.p99Milliseconds == 70 && phase.slowestMilliseconds == 70)
        #expect(phase.tables.map(\.name) == ["events"], "only those that were written")
    }

    @Test("FLEET-8: the report has a row for each kind of work and engine, and the slowest call of the week")
    func report() throws {
        let cost = EngineCost(
            serverSeconds: 1, databaseSeconds: 0, writtenBytes: nil, logBytes: nil, storedBytes: 0
        )
        func phase(_ work: FleetWork, slowest: Double) -> FleetBenchReport.Phase {
            FleetBenchReport.Phase(
                work, operations: 1_000, seconds: 1, cost: cost, milliseconds: slowest > 0 ? [slowest] : [], tables: []
            )
        }
        let phases = [
            phase(.links, slowest: 5), phase(.openings, slowest: 9), phase(.campaigns, slowest: 0),
            phase(.fetches, slowest: 80),
        ]
        func engine(_ name: String, isSynced: Bool, _ tables: [TableChurn]) -> FleetBenchReport.Engine {
            FleetBenchReport.Engine(
                name: name, isSynced: isSynced, peakRSSBytes: nil, phases: phases,
                week: FleetBenchReport.Week(storedBytes: 3_000_000, freeBytes: nil, tables: tables)
            )
        }
        let engines = [
            engine("SQLite 3", isSynced: true, []),
            engine("PostgreSQL 15", isSynced: false, [Self.churn("devices", inserts: 4)]),
        ]
        let report = FleetBenchReport(FleetShape(devices: 1_000, days: 7, operations: 100), engines: engines)
        #expect(engines[0].slowest?.work == .openings, "what comes after the week is not part of it")
        let lines = report.table.split(separator: "\n")
        for work in [FleetWork.links, .openings, .campaigns, .fetches] {
            #expect(lines.filter { $0.hasPrefix(work.name) }.count == 2)
        }
        #expect(lines.contains { $0.hasPrefix("AFTER 7 DAYS, 1000 DEVICES") })
        #expect(report.table.contains("PostgreSQL 15, since all are registered:"))
        #expect(report.table.hasSuffix("PostgreSQL 15 has fsync off: its commits do not wait for the disk."))
        let json = try report.jsonLine()
        #expect(json.contains(#""days":7,"devices":1000"#) && !json.contains("\n"))
    }

    @Test("FLEET-8: each call is made once and timed, and one that is refused ends the work")
    func load() async throws {
        struct Rejection: Error {}
        let load = try await FleetLoad<Int>(calls: 100, each: 50, width: 7) { $0 }
        #expect(load.operations == 5_000)
        #expect(load.outputs.sorted() == Array(0..<100) && load.milliseconds.count == 100)
        let few = try await FleetLoad<Int>(calls: 2) { $0 }
        #expect(few.outputs.sorted() == [0, 1])
        await #expect(throws: Rejection.self) {
            _ = try await FleetLoad<Int>(calls: 100) { number in
                guard number < 90 else { throw Rejection() }
                return number
            }
        }
    }

    @Test("FLEET-8: an opening begins a session and has ten more events, each with an id of its own")
    func opening() throws {
        struct Batch: Decodable {
            struct Event: Decodable {
                var id: String
                var type: String
                var name: String
            }
            var events: [Event]
        }
        let body = FleetUpload.opening("open", at: Date(timeIntervalSince1970: 1_800_000_000))
        let events = try JSONDecoder().decode(Batch.self, from: Data(body.readableBytesView)).events
        #expect(events.count == 11 && Set(events.map(\.id)).count == 11)
        #expect(events[0].type == "internal" && events[0].name == "session:start")
        #expect(events.dropFirst().allSatisfy { $0.type == "custom" && $0.name == "bench" })
    }
}
