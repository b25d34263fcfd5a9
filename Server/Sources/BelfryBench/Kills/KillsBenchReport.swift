import BelfryCommand

/// The figures of one run of `belfry bench kills`.
struct KillsBenchReport: Encodable {
    private static let longestAllowedMilliseconds = 1_000.0

    let kills: Int
    /// The seed that repeats the moments of the kills.
    let seed: UInt64
    /// The time from the start of the process after a kill until it accepts requests, in milliseconds.
    let medianMilliseconds: Double
    let longestMilliseconds: Double
    /// The bytes of the write-ahead log that a start had to read (``HotLog``); nil on PostgreSQL.
    let shortestLogBytes: Int?
    let medianLogBytes: Int?
    let longestLogBytes: Int?
    /// The bytes that PostgreSQL wrote to its log in a life of the server; nil on SQLite.
    let medianWrittenBytes: Int?
    /// The number of events acknowledged in all lives, and the number stored at the end.
    let acknowledged: Int
    let stored: Int
    /// The number of acknowledged events that are not stored.
    let lost: Int
    /// The number of requests, acknowledged or not, that are only partly stored.
    let half: Int

    init(
        _ restarts: [KillsBench.Restart], seed: UInt64, acknowledged: Int, stored: Int, lost: Int, half: Int
    ) {
        let times = restarts.map(\.readyAfter.inMilliseconds)
        let logs = restarts.compactMap(\.log.leftBytes)
        let written = restarts.compactMap(\.log.writtenBytes)
        kills = restarts.count
        self.seed = seed
        medianMilliseconds = times.median.rounded(places: 1)
        longestMilliseconds = times.quantile(1).rounded(places: 1)
        shortestLogBytes = logs.isEmpty ? nil : Int(logs.quantile(0))
        medianLogBytes = logs.isEmpty ? nil : Int(logs.median)
        longestLogBytes = logs.isEmpty ? nil : Int(logs.quantile(1))
        medianWrittenBytes = written.isEmpty ? nil : Int(written.median)
        self.acknowledged = acknowledged
        self.stored = stored
        self.lost = lost
        self.half = half
    }

    /// Whether nothing acknowledged was lost, no request was half stored, each start was fast enough, and the log was
    /// hot at the median. A single kill at a random moment may find a log that has just begun again.
    var isMet: Bool {
        lost == 0 && half == 0 && acknowledged > 0 && longestMilliseconds <= Self.longestAllowedMilliseconds
            && isHot
    }

    /// Whether as much was written before the kills as the target requires, which is the same on both engines.
    private var isHot: Bool { (medianLogBytes ?? medianWrittenBytes ?? 0) >= HotLog.least }

    var table: String {
        var table = TextTable("FIGURE", "MEASURED", "TARGET")
        table.add("ready again, median of \(kills)", "\(medianMilliseconds) ms", "")
        table.add("ready again, the longest", "\(longestMilliseconds) ms", "≤ 1000 ms")
        let logs = [
            ("the shortest", shortestLogBytes, ""),
            ("median", medianLogBytes, Self.leastMegabytes),
            ("the longest", longestLogBytes, ""),
        ]
        for (name, bytes, target) in logs {
            if let bytes { table.add("write-ahead log at the start, \(name)", Self.megabytes(bytes), target) }
        }
        if let medianWrittenBytes {
            table.add(
                "PostgreSQL's log in a life, median", Self.megabytes(medianWrittenBytes), Self.leastMegabytes
            )
        }
        table.add("events acknowledged", "\(acknowledged)", "")
        table.add("events stored", "\(stored)", "")
        table.add("events acknowledged and lost", "\(lost)", "0")
        table.add("requests stored by half", "\(half)", "0")
        return """
            \(table.text)

            Target: REL-1. Ready means: from the start of the process to its line 'listens on'. Seed: \(seed).
            """
    }

    private static var leastMegabytes: String { "≥ \(megabytes(HotLog.least))" }

    private static func megabytes(_ bytes: Int) -> String {
        "\((Double(bytes) / 1_000_000).text(places: 1)) MB"
    }
}

extension KillsBench.WriteLog {
    fileprivate var leftBytes: Double? {
        guard case .left(let bytes) = self else { return nil }
        return Double(bytes)
    }

    fileprivate var writtenBytes: Double? {
        guard case .written(let bytes) = self else { return nil }
        return Double(bytes)
    }
}
