import BelfryCommand

/// The figures of one `belfry bench kills`.
struct KillsBenchReport: Encodable {
    private static let longestAllowedMilliseconds = 1_000.0

    let kills: Int
    /// Repeats the moments of the kills.
    let seed: UInt64
    /// From the start of the process after a kill until it takes requests, in milliseconds.
    let medianMilliseconds: Double
    let longestMilliseconds: Double
    /// What a start had to read of the log of writes (``HotLog``); nil on PostgreSQL.
    let shortestLogBytes: Int?
    let medianLogBytes: Int?
    let longestLogBytes: Int?
    /// What PostgreSQL wrote into its log in a life of the server; nil on SQLite.
    let medianWrittenBytes: Int?
    /// Events that were acknowledged in all lives, and those that the store holds in the end.
    let acknowledged: Int
    let stored: Int
    /// Acknowledged events that the store does not hold.
    let lost: Int
    /// Requests, acknowledged or not, of which the store holds a part.
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

    /// Whether nothing acknowledged was lost and nothing stored by half, each start was fast enough, and the log was hot. A
    /// kill at a random moment may meet a log that has just begun anew.
    var isMet: Bool {
        lost == 0 && half == 0 && acknowledged > 0 && longestMilliseconds <= Self.longestAllowedMilliseconds
            && isHot
    }

    /// Whether as much was written before the kills as the target speaks of: on both engines the same.
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
