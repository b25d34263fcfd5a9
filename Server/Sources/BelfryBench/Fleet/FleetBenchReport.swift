/// The figures of one run of `belfry bench fleet`.
struct FleetBenchReport: Encodable {
    /// The cost of one kind of work, per 1,000 operations. Nil where the system does not report it.
    struct Phase: Encodable {
        let work: FleetWork
        let operations: Int
        let seconds: Double
        let perSecond: Double
        /// Processor seconds of the server and the database together; the next figure is the database's part.
        let cpuSecondsPer1000: Double?
        let databaseCPUSecondsPer1000: Double?
        /// Bytes that the processes of both wrote; the next figure is the growth of PostgreSQL's log.
        let writtenBytesPer1000: Double?
        let logBytesPer1000: Double?
        /// The growth of the database in bytes.
        let storedBytesPer1000: Double
        /// The 99th percentile of the calls' durations; nil for work without calls.
        let p99Milliseconds: Double?
        let slowestMilliseconds: Double?
        /// The changes of the rows of those PostgreSQL tables that were written.
        let tables: [TableChurn]

        /// - Parameters:
        ///   - cost: the cost of this work alone.
        ///   - milliseconds: the duration of each call.
        ///   - tables: the changes of their rows by this work.
        init(
            _ work: FleetWork, operations: Int, seconds: Double, cost: EngineCost, milliseconds: [Double],
            tables: [TableChurn]
        ) {
            func each(_ value: Double?) -> Double? {
                value.map { ($0 * 1_000 / Double(max(operations, 1))).rounded(places: 3) }
            }
            self.work = work
            self.operations = operations
            self.seconds = seconds.rounded(places: 2)
            perSecond = (seconds > 0 ? Double(operations) / seconds : 0).rounded(places: 1)
            cpuSecondsPer1000 = each(cost.cpuSeconds)
            databaseCPUSecondsPer1000 = each(cost.databaseSeconds)
            writtenBytesPer1000 = each(cost.writtenBytes.map { Double($0) })
            logBytesPer1000 = each(cost.logBytes.map { Double($0) })
            storedBytesPer1000 = each(Double(cost.storedBytes)) ?? 0
            p99Milliseconds = milliseconds.isEmpty ? nil : milliseconds.quantile(0.99).rounded(places: 1)
            slowestMilliseconds = milliseconds.max()?.rounded(places: 1)
            self.tables = tables.filter(\.isChanged)
        }
    }

    /// The state of the database after the week.
    struct Week: Encodable {
        let storedBytes: Int
        /// The free bytes in SQLite's file; nil with PostgreSQL.
        let freeBytes: Int?
        /// Dead rows as a share of all rows in PostgreSQL's tables.
        let deadShare: Double?
        /// The share of updates that wrote no index, counted after all devices are registered: here in the tables that
        /// FLEET-2 names, below in the ledger. PostgreSQL only.
        let hotShare: Double?
        let ledgerHotShare: Double?
        /// The changes of rows after all devices were registered.
        let tables: [TableChurn]

        init(storedBytes: Int, freeBytes: Int?, tables: [TableChurn]) {
            self.storedBytes = storedBytes
            self.freeBytes = freeBytes
            deadShare = tables.deadShare?.rounded(places: 4)
            hotShare = tables.filter(\.isHot).hotShare?.rounded(places: 4)
            ledgerHotShare = tables.filter(\.isLedger).hotShare?.rounded(places: 4)
            self.tables = tables
        }
    }

    struct Engine: Encodable {
        /// The engine's name with its version.
        let name: String
        /// Whether the engine's commits wait for the disk.
        let isSynced: Bool
        /// The peak resident memory of the server's process.
        let peakRSSBytes: Int?
        let phases: [Phase]
        let week: Week

        /// The slowest of the week's phases with calls.
        var slowest: Phase? {
            phases.filter(\.work.isOfWeek).max { ($0.slowestMilliseconds ?? 0) < ($1.slowestMilliseconds ?? 0) }
        }
    }

    let devices: Int
    /// The number of days, each with a campaign; 0 without a sink.
    let days: Int
    let engines: [Engine]

    init(_ shape: FleetShape, engines: [Engine]) {
        devices = shape.devices
        days = shape.days
        self.engines = engines
    }
}
