import BelfryCommand

/// The figures of one `belfry bench kills`.
struct KillsBenchReport: Encodable {
    private static let longestAllowedMilliseconds = 1_000.0

    let kills: Int
    /// From the start of the process after a kill until it takes requests, in milliseconds.
    let medianMilliseconds: Double
    let longestMilliseconds: Double
    /// The log of writes that a start found; nil on PostgreSQL.
    let shortestLogBytes: Int?
    let medianLogBytes: Int?
    let longestLogBytes: Int?
    /// Events that were acknowledged in all lives, and those that the store holds in the end.
    let acknowledged: Int
    let stored: Int
    /// Acknowledged events that the store does not hold.
    let lost: Int

    init(_ restarts: [KillsBench.Restart], acknowledged: Int, stored: Int, lost: Int) {
        let times = restarts.map(\.readyAfter.inMilliseconds)
        let logs = restarts.compactMap(\.logBytes).map { Double($0) }
        kills = restarts.count
        medianMilliseconds = times.median.rounded(places: 1)
        longestMilliseconds = times.quantile(1).rounded(places: 1)
        shortestLogBytes = logs.isEmpty ? nil : Int(logs.quantile(0))
        medianLogBytes = logs.isEmpty ? nil : Int(logs.median)
        longestLogBytes = logs.isEmpty ? nil : Int(logs.quantile(1))
        self.acknowledged = acknowledged
        self.stored = stored
        self.lost = lost
    }

    /// Whether nothing acknowledged was lost, each start was fast enough, and each found a log if it is SQLite's.
    var isMet: Bool {
        lost == 0 && acknowledged > 0 && longestMilliseconds <= Self.longestAllowedMilliseconds
            && shortestLogBytes != 0
    }

    var table: String {
        var table = TextTable("FIGURE", "MEASURED", "TARGET")
        table.add("ready again, median of \(kills)", "\(medianMilliseconds) ms", "")
        table.add("ready again, the longest", "\(longestMilliseconds) ms", "≤ 1000 ms")
        let logs = [
            ("the shortest", shortestLogBytes, "> 0"), ("median", medianLogBytes, ""),
            ("the longest", longestLogBytes, ""),
        ]
        for (name, bytes, target) in logs {
            if let bytes { table.add("write-ahead log at the start, \(name)", Self.megabytes(bytes), target) }
        }
        table.add("events acknowledged", "\(acknowledged)", "")
        table.add("events stored", "\(stored)", "")
        table.add("events acknowledged and lost", "\(lost)", "0")
        return "\(table.text)\n\nTarget: REL-1. Ready means: from the start of the process to its line 'listens on'."
    }

    private static func megabytes(_ bytes: Int) -> String {
        "\((Double(bytes) / 1_000_000).text(places: 1)) MB"
    }
}
