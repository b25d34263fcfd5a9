import BelfryCommand

extension FleetBenchReport {
    /// The minimum share of updates that write no index (FLEET-2).
    private static let leastHotShare = 0.95

    var table: String {
        var parts = [costs, weeks]
        parts += engines.filter { !$0.week.tables.isEmpty }.map { engine in
            "\(engine.name), since all are registered:\n\n\(Self.tables(of: engine))"
        }
        parts += engines.filter { !$0.isSynced }.map {
            "\($0.name) has fsync off: its commits do not wait for the disk."
        }
        return parts.joined(separator: "\n\n")
    }

    /// The costs of each kind of work, one engine below the other.
    private var costs: String {
        var table = TextTable(
            "FOR 1,000 OPERATIONS", "ENGINE", "OPERATIONS", "A SECOND", "CPU S", "OF IT DATABASE", "WRITTEN KB",
            "OF IT LOG", "STORED KB", "P99 MS", "SLOWEST MS"
        )
        for work in FleetWork.allCases {
            for engine in engines {
                guard let phase = engine.phases.first(where: { $0.work == work }) else { continue }
                table.add(
                    work.name, engine.name, "\(phase.operations)", phase.perSecond.text(),
                    Self.text(phase.cpuSecondsPer1000, places: 3),
                    Self.text(phase.databaseCPUSecondsPer1000, places: 3), Self.kilobytes(phase.writtenBytesPer1000),
                    Self.kilobytes(phase.logBytesPer1000), Self.kilobytes(phase.storedBytesPer1000),
                    Self.text(phase.p99Milliseconds, places: 1), Self.text(phase.slowestMilliseconds, places: 1)
                )
            }
        }
        return table.text
    }

    /// The state of the database after the week.
    private var weeks: String {
        var table = TextTable("AFTER \(days) DAYS, \(devices) DEVICES", "MEASURED", "TARGET")
        for engine in engines {
            let week = engine.week
            table.add("\(engine.name), on disk", Self.megabytes(week.storedBytes), "")
            if let free = week.freeBytes { table.add("  of it free", Self.megabytes(free), "") }
            if let dead = week.deadShare { table.add("  rows that are dead", Self.percent(dead), "") }
            if let hot = week.hotShare {
                table.add("  updates without an index", Self.percent(hot), "≥ \(Self.percent(Self.leastHotShare))")
            }
            if let hot = week.ledgerHotShare { table.add("  the same in the ledger", Self.percent(hot), "") }
            if let slowest = engine.slowest, let milliseconds = slowest.slowestMilliseconds {
                table.add("  slowest call", "\(milliseconds.text(places: 1)) ms (\(slowest.work.name))", "")
            }
            table.add("  server's memory at its peak", engine.peakRSSBytes.map(Self.megabytes) ?? "unknown", "")
        }
        return table.text
    }

    private static func tables(of engine: Engine) -> String {
        var table = TextTable(
            "TABLE", "ROWS", "DEAD", "INSERTED", "UPDATED", "WITHOUT AN INDEX", "DELETED", "TABLE SIZE", "INDEX SIZE"
        )
        for one in engine.week.tables where one.isChanged || one.liveRows > 0 {
            table.add(
                one.name, "\(one.liveRows)", "\(one.deadRows)", "\(one.inserts)", "\(one.updates)",
                one.hotShare.map(percent) ?? "", "\(one.deletes)", megabytes(one.tableBytes), megabytes(one.indexBytes)
            )
        }
        return table.text
    }

    private static func text(_ value: Double?, places: Int) -> String { value?.text(places: places) ?? "" }
    private static func percent(_ share: Double) -> String { "\((share * 100).text(places: 1)) %" }
    private static func kilobytes(_ bytes: Double?) -> String { bytes.map { ($0 / 1_000).text(places: 1) } ?? "" }
    private static func megabytes(_ bytes: Int) -> String { "\((Double(bytes) / 1_000_000).text(places: 1)) MB" }
}
