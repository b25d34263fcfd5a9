import BelfryCommand

/// The figures of one run of `belfry bench serve`.
struct ServeBenchReport: Encodable {
    /// The time from the start of the process until it accepts requests: medians, in milliseconds.
    let freshMilliseconds: Double
    let existingMilliseconds: Double
    let longestMilliseconds: Double
    let rounds: Int
    /// The resident memory of the idle server; nil when the system does not report it, as is the next figure.
    let idleRSSBytes: Int?
    /// The idle server's use of one processor, in percent.
    let idleCPUPercent: Double?
    let settlingSeconds: Int
    let idleSeconds: Int

    init(fresh: [Duration], existing: [Duration], idle: ServeBench.Idle, settling: Int, idleSeconds: Int) {
        freshMilliseconds = fresh.map(\.inMilliseconds).median.rounded(places: 1)
        existingMilliseconds = existing.map(\.inMilliseconds).median.rounded(places: 1)
        longestMilliseconds = (fresh + existing).map(\.inMilliseconds).quantile(1).rounded(places: 1)
        rounds = fresh.count
        idleRSSBytes = idle.residentBytes
        idleCPUPercent = idle.cpuSeconds.map { ($0 / Double(idleSeconds) * 100).rounded(places: 2) }
        settlingSeconds = settling
        self.idleSeconds = idleSeconds
    }

    var table: String {
        let memory = idleRSSBytes.map { "\((Double($0) / 1_000_000).text(places: 1)) MB" } ?? "unknown"
        let processor = idleCPUPercent.map { "\($0) %" } ?? "unknown"
        var table = TextTable("FIGURE", "MEASURED", "TARGET")
        table.add("ready, on a fresh directory", "\(freshMilliseconds) ms", "≤ 150 ms")
        table.add("ready, on an existing one", "\(existingMilliseconds) ms", "≤ 150 ms")
        table.add("  the longest of \(2 * rounds) starts", "\(longestMilliseconds) ms", "")
        table.add("resident memory after \(settlingSeconds) s", memory, "≤ 40 MB")
        table.add("processor over \(idleSeconds) s, of one core", processor, "about 0 %")
        return "\(table.text)\n\nTargets: PERF-10. Ready means: from the start of the process to its line 'listens on'."
    }
}
