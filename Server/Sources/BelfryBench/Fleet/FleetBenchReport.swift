/// The figures of one `belfry bench fleet`.
struct FleetBenchReport: Encodable {
    /// One kind of work, with what a thousand operations of it have cost. Nil where the system does not tell.
    struct Phase: Encodable {
        let work: FleetWork
        let operations: Int
        let seconds: Double
        let perSecond: Double
        /// Of the server and the database together; the next is the database's part.
        let cpuSecondsPer1000: Double?
        let databaseCPUSecondsPer1000: Double?
        /// By the processes of both; the next is what PostgreSQL's log grew by.
        let writtenBytesPer1000: Double?
        let logBytesPer1000: Double?
        /// What the database grew by.
        let storedBytesPer1000: Double
        /// Of calls; nil where nobody waited for an answer.
        let p99Milliseconds: Double?
        let slowestMilliseconds: Double?
        /// What happened to the rows of PostgreSQL's tables, those that were written.
        let tables: [TableChurn]

        /// - Parameters:
        ///   - cost: of the work alone.
        ///   - milliseconds: what each call took.
        ///   - tables: what has happened to them because of the work.
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

    /// What is there after the week.
    struct Week: Encodable {
        let storedBytes: Int
        /// Within SQLite's file.
        let freeBytes: Int?
        /// A part of all rows of PostgreSQL's tables.
        let deadShare: Double?
        /// The part of all updates that wrote no index, once all devices are registered: in the tables that FLEET-2
        /// names, and in the ledger. Of PostgreSQL.
        let hotShare: Double?
        let ledgerHotShare: Double?
        /// What has happened since all devices are registered.
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
        /// With its version.
        let name: String
        /// Whether its commits wait for the disk.
        let isSynced: Bool
        /// Of the server's process.
        let peakRSSBytes: Int?
        let phases: [Phase]
        let week: Week

        /// Of the calls of the week, with its work.
        var slowest: Phase? {
            phases.filter(\.work.isOfWeek).max { ($0.slowestMilliseconds ?? 0) < ($1.slowestMilliseconds ?? 0) }
        }
    }

    let devices: Int
    /// With a campaign each; 0 without a sink.
    let days: Int
    let engines: [Engine]

    init(_ shape: FleetShape, engines: [Engine]) {
        devices = shape.devices
        days = shape.days
        self.engines = engines
    }
}
