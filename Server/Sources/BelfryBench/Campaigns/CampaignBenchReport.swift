import BelfryCommand
import BelfryModel
import BelfryServerModel
import BelfryWire

/// The figures of one run of `belfry bench campaign`.
struct CampaignBenchReport: Encodable {
    let devices: Int
    let accepted: Int
    let seconds: Double
    let perSecond: Double
    /// h2load's requests per second on the same sink just before, and the campaign's rate as a multiple of it; nil
    /// without h2load.
    let h2loadPerSecond: Double?
    let ratio: Double?
    let cpuSecondsPer100k: Double?
    /// The server's resident memory before the launch, and its peak, in bytes.
    let restingRSSBytes: Int?
    let peakRSSBytes: Int?

    private let reference: H2LoadComparison

    private enum CodingKeys: CodingKey {
        case devices, accepted, seconds, perSecond, h2loadPerSecond, ratio, cpuSecondsPer100k, restingRSSBytes
        case peakRSSBytes
    }

    init(
        counts: CampaignCounts, seconds: Double, cpuSeconds: Double?, restingBytes: Int?, peakBytes: Int?,
        reference: H2LoadComparison
    ) {
        devices = counts.audience
        accepted = counts.accepted
        self.seconds = seconds.rounded(places: 2)
        perSecond = (Double(counts.audience) / seconds).rounded()
        self.reference = reference
        h2loadPerSecond = reference.perSecond
        ratio = reference.ratio(of: perSecond)
        cpuSecondsPer100k = cpuSeconds.map { ($0 * 100_000 / Double(max(1, counts.audience))).rounded(places: 3) }
        restingRSSBytes = restingBytes
        peakRSSBytes = peakBytes
    }

    var table: String {
        var table = TextTable("WHOLE CAMPAIGN", "MEASURED", "TARGET (PERF-2)")
        table.add("devices in the ledger", "\(devices), \(accepted) accepted", "")
        table.add("from the launch to the end", "\(seconds.text(places: 2)) s", "")
        table.add("devices a second", perSecond.text(), "")
        table.add("ratio", reference.text(of: perSecond), "≥ 0.3 of h2load on the same sink")
        table.add("processor time for 100,000", cpuSecondsPer100k.map { "\($0.text(places: 2)) s" } ?? "unknown", "")
        table.add("memory before the launch", Self.megabytes(restingRSSBytes), "")
        table.add("memory at its peak", Self.megabytes(peakRSSBytes), "≤ 150 MB")
        return table.text
    }

    private static func megabytes(_ bytes: Int?) -> String {
        bytes.map { "\((Double($0) / 1_000_000).text()) MB" } ?? "unknown"
    }
}
