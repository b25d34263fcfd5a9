import BelfryPostgres
import BelfryStore
import Foundation
import Testing

@testable import BelfryBench
@testable import BelfryServices

/// `Scripts/check-scaling` holds the arithmetic; here are the ends at which the script meets the program.
@Suite("The script of the page on scaling")
struct ScalingTests {
    /// A run of a thousand devices, as the benchmark prints it, with the lines before.
    private static func run() throws -> String {
        let shape = FleetShape(devices: 1_000, days: 2, operations: 1_000)
        let sqlite = engine("SQLite 3", databaseSeconds: 0, logBytes: nil, tables: [])
        let table = TableChurn(
            name: "events", inserts: 11_000, updates: 0, hotUpdates: 0, deletes: 0, liveRows: 11_000, deadRows: 0,
            tableBytes: 990_000, indexBytes: 990_000
        )
        let postgres = engine("PostgreSQL 15", databaseSeconds: 1, logBytes: 1_000_000, tables: [table])
        let line = try FleetBenchReport(shape, engines: [sqlite, postgres]).jsonLine()
        return "SQLite 3: 1000 \(FleetWork.links.name) in 1.0 s\n\(line)\n"
    }

    private static func engine(
        _ name: String, databaseSeconds: Double, logBytes: Int?, tables: [TableChurn]
    ) -> FleetBenchReport.Engine {
        let cost = EngineCost(
            serverSeconds: 1, databaseSeconds: databaseSeconds, writtenBytes: 4_000_000, logBytes: logBytes,
            storedBytes: 2_000_000
        )
        let phases = FleetWork.allCases.map { work in
            FleetBenchReport.Phase(
                work, operations: 1_000, seconds: 1, cost: cost, milliseconds: work == .campaigns ? [] : [2],
                tables: work == .openings ? tables : []
            )
        }
        let week = FleetBenchReport.Week(storedBytes: 9_000_000, freeBytes: nil, tables: tables)
        return FleetBenchReport.Engine(name: name, isSynced: true, peakRSSBytes: nil, phases: phases, week: week)
    }

    @Test("FLEET-9: the script reads every kind of work of a report, and of SQLite, which tells less")
    func reports() async throws {
        try await withStage { stage in
            try Self.run().write(to: stage.folder.appending(path: "run.txt"), atomically: true, encoding: .utf8)
            let script = "python3 '\(ProjectFile.url("Scripts/scaling").path)' --figures run.txt"
            let works = FleetWork.allCases.count
            let postgres = try await stage.shell(script).split(separator: "\n")
            #expect(postgres.count { $0.contains(" | 1,000 | 1 | 1 | 4 MB | 1 MB | 2 MB | ") } == works)
            #expect(postgres.contains { $0.hasPrefix("| event | 180 B | of it in the index: 90 B |") })
            #expect(postgres.contains { $0.contains("1 million devices") && $0.contains("1 billion devices") })
            #expect(!postgres.contains { $0.contains("unknown") })
            let sqlite = try await stage.shell("\(script) --engine sqlite --devices 1000000").split(separator: "\n")
            #expect(sqlite.contains { $0.hasPrefix("| event | 182 B |") })
            #expect(sqlite.count { $0.contains(" | 1,000 | 1 | 0 | 4 MB | unknown | 2 MB | ") } == works)
            // A million bytes of empty tables; 2,000 bytes for each of 6,000 things of devices, and 6,000 deliveries.
            let predicted = try await stage.shell("\(script) --predict 2000 3").split(separator: "\n")
            #expect(predicted.contains { $0.hasPrefix("| stored after the week | 25 MB |") }, "\(predicted)")
        }
    }

    @Test("FLEET-9: the script knows the benchmark's numbers and the program's limits")
    func numbers() throws {
        let figures = try ProjectFile.text("Scripts/scaling_figures.py")
        for work in FleetWork.allCases { #expect(figures.contains("\n    \"\(work.rawValue)\": \""), "\(work)") }
        let shape = FleetShape(devices: 1_000_000, days: 7, operations: 1)
        #expect(Self.plain(figures).contains("\nEVENTSOFOPENING = \(1 + FleetShape.eventsOfOpening)\n"))
        #expect(Self.plain(figures).contains("\nCALLERS = \(shape.callers)\n"))
        let limits = Self.plain(try ProjectFile.text("Scripts/scaling_limits.py"))
        let seconds = QuestionLimits(clock: { 0 }).countingBudget / 1_000_000_000
        #expect(limits.contains("\nCOUNTSECONDS = \(seconds)\n"))
        let budget = AppBudget.standard.events
        let day = try #require(budget.day)
        #expect(limits.contains("\nBUDGETMINUTE, BUDGETDAY = \(budget.minute.amount), \(day.amount)\n"))
        let machine = Self.plain(try ProjectFile.text("Scripts/scaling_shape.py"))
        let connections = PostgresSettings.standardConnections + PostgresSettings.bellConnections
        #expect(machine.contains("processconnections: int = option(\(connections), "))
    }

    /// Without the lines within numbers and names.
    private static func plain(_ script: String) -> String { script.replacing("_", with: "") }
}
