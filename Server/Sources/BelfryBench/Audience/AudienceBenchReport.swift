import BelfryCommand

/// The figures of one run of `belfry bench audience`.
struct AudienceBenchReport: Encodable {
    let devices: Int
    let rounds: Int
    /// The median time of the scan over columns, in milliseconds.
    let scanMilliseconds: Double
    let indexedMilliseconds: Double
    let jsonMilliseconds: Double
    /// The time of the scan over JSON, as a multiple of that over columns.
    let jsonRatio: Double
    /// The number of devices that the scan finds.
    let scanDevices: Int
    let indexedDevices: Int
    /// Whether both scans find the same devices.
    let agrees: Bool
    /// The time to write the database, in seconds.
    let fillingSeconds: Double

    init(
        devices: Int, rounds: Int, walk: AudienceBench.DeviceCounts, indexed: AudienceBench.DeviceCounts,
        stored: AudienceBench.DeviceCounts, filling: Duration
    ) {
        self.devices = devices
        self.rounds = rounds
        let scan = walk.durations.map(\.inMilliseconds).median
        let json = stored.durations.map(\.inMilliseconds).median
        scanMilliseconds = scan.rounded(places: 1)
        indexedMilliseconds = indexed.durations.map(\.inMilliseconds).median.rounded(places: 2)
        jsonMilliseconds = json.rounded(places: 1)
        jsonRatio = (scan > 0 ? json / scan : 0).rounded(places: 1)
        scanDevices = walk.devices
        indexedDevices = indexed.devices
        agrees = walk.devices == stored.devices
        fillingSeconds = filling.inSeconds.rounded(places: 1)
    }

    var table: String {
        var table = TextTable("AUDIENCE OF THREE CLAUSES", "MEASURED", "TARGET")
        table.add("every device is scanned", "\(scanMilliseconds) ms", "≤ 100 ms")
        table.add("  found", "\(scanDevices) of \(devices)", "")
        table.add("an index finds the candidates", "\(indexedMilliseconds) ms", "≤ 5 ms")
        table.add("  found", "\(indexedDevices) of \(devices)", "")
        table.add("the first over JSON", "\(jsonMilliseconds) ms", "")
        table.add("  times as long, same result", "\(jsonRatio), \(agrees ? "yes" : "no")", "")
        return "\(table.text)\n\nTargets: PERF-6, for 1,000,000 devices. Medians of \(rounds) rounds."
    }
}
