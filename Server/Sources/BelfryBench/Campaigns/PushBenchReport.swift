import Foundation

/// The figures of one run of `belfry bench push`.
struct PushBenchReport: Encodable {
    let requests: Int
    let answered: Int
    let connections: Int
    let inFlight: Int
    let seconds: Double
    let perSecond: Double
    /// h2load's requests per second on the same sink just before, and the engine's rate as a multiple of it; nil
    /// without h2load.
    let h2loadPerSecond: Double?
    let ratio: Double?
    let cpuSecondsPer100k: Double
    let peakRSSBytes: Int?
    let statuses: [String: Int]
    let failures: [String: Int]
    private let reference: H2LoadComparison

    private enum CodingKeys: CodingKey {
        case requests, answered, connections, inFlight, seconds, perSecond, h2loadPerSecond, ratio, cpuSecondsPer100k
        case peakRSSBytes, statuses, failures
    }

    init(
        outcomes: PushLoad.Outcomes,
        requests: Int,
        connections: Int,
        inFlight: Int,
        seconds: Double,
        cpuSeconds: Double,
        peakRSSBytes: Int?,
        reference: H2LoadComparison
    ) {
        self.requests = requests
        answered = outcomes.statuses.values.reduce(0, +)
        self.connections = connections
        self.inFlight = inFlight
        self.seconds = seconds
        perSecond = (Double(answered) / seconds).rounded()
        self.reference = reference
        h2loadPerSecond = reference.perSecond
        ratio = reference.ratio(of: perSecond)
        cpuSecondsPer100k = cpuSeconds * 100_000 / Double(max(1, answered))
        self.peakRSSBytes = peakRSSBytes
        statuses = Dictionary(uniqueKeysWithValues: outcomes.statuses.map { (String($0.key), $0.value) })
        failures = outcomes.failures
    }

    var table: String {
        let memory = peakRSSBytes.map { String(format: "%.1f MB", Double($0) / 1_000_000) } ?? "unknown"
        let rows = [
            ("requests", "\(requests), \(answered) answered"),
            ("connections", "\(connections), \(inFlight) in flight"),
            ("per second", String(format: "%.0f", perSecond)),
            ("ratio", reference.text(of: perSecond)),
            ("CPU s per 100k", String(format: "%.3f", cpuSecondsPer100k)),
            ("peak RSS", memory),
            ("statuses", Self.list(statuses)),
            ("failures", Self.list(failures)),
        ]
        return rows.map { $0.0.padding(toLength: 16, withPad: " ", startingAt: 0) + $0.1 }.joined(separator: "\n")
    }

    private static func list(_ counts: [String: Int]) -> String {
        let items = counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return items.isEmpty ? "none" : items.joined(separator: ", ")
    }
}
