import BelfryCommand
import BelfryServices

/// The figures of one run of `belfry bench rehearsal`.
struct RehearsalBenchReport: Encodable {
    let devices: Int
    /// The number of campaigns that were planned to begin before the rehearsed one.
    let others: Int
    let seconds: Double
    let cpuSeconds: Double
    /// The peak memory; nil when the system does not report it.
    let peakMegabytes: Double?
    let reached: Int
    let suppressed: Int
    let status: String
    /// The median duration of a small write and a read in milliseconds: here on a quiet server, below during the
    /// rehearsal.
    let quietMedian: Double
    let quietP99: Double
    let busyMedian: Double
    let busyP99: Double

    init(
        devices: Int, others: Int, rehearsal: Rehearsal, seconds: Double, cpuSeconds: Double, peakBytes: Int?,
        quiet: [Double], busy: [Double]
    ) {
        self.devices = devices
        self.others = others
        self.seconds = seconds.rounded(places: 1)
        self.cpuSeconds = cpuSeconds.rounded(places: 1)
        peakMegabytes = peakBytes.map { (Double($0) / 1_048_576).rounded(places: 0) }
        reached = rehearsal.figures?.reached ?? 0
        suppressed = (rehearsal.figures?.audience ?? 0) - reached
        status = rehearsal.status.rawValue
        quietMedian = quiet.median.rounded(places: 2)
        quietP99 = quiet.quantile(0.99).rounded(places: 2)
        busyMedian = busy.median.rounded(places: 2)
        busyP99 = busy.quantile(0.99).rounded(places: 2)
    }

    var table: String {
        var table = TextTable("REHEARSAL", "MEASURED", "TARGET")
        table.add("\(devices) devices, \(others) others, \(status)", "\(seconds) s", "≤ 60 s")
        table.add("  processor time", "\(cpuSeconds) s", "two cores")
        table.add("  most memory", peakMegabytes.map { "\($0) MB" } ?? "unknown", "≤ 250 MB")
        table.add("  would get it, would not", "\(reached), \(suppressed)", "")
        table.add("a small write and read, quiet", "\(quietMedian) ms, p99 \(quietP99) ms", "")
        table.add("  during the rehearsal", "\(busyMedian) ms, p99 \(busyP99) ms", "≤ 2 times")
        return "\(table.text)\n\nTargets: PERF-13, for 1,000,000 devices."
    }
}
