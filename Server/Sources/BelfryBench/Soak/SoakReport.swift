import BelfryCommand

/// The figures of one run of `belfry bench soak`, and whether they are good enough (REL-7).
struct SoakReport: Encodable {
    /// The maximum growth of memory from after the warm-up to the end: allocators vary by a tenth.
    static let mostMemoryGrowth = 1.1
    /// The maximum difference in open files: connections come and go.
    static let mostFileGrowth = 16.0
    static let mostSlowdown = 1.2

    let samples: [SoakSample]
    /// The number of calls by kind.
    let calls: [String: Int]
    let failures: Int
    let firstFailure: String?
    let arrivals: Int
    let departures: Int
    let campaigns: Int
    /// The number of campaigns whose ledger does not add up.
    let unsettled: Int
    let verdict: SoakResult

    init(
        samples: [SoakSample], calls: [String: Int], failures: Int, firstFailure: String?, arrivals: Int,
        departures: Int, campaigns: Int, unsettled: Int
    ) {
        self.samples = samples
        self.calls = calls
        self.failures = failures
        self.firstFailure = firstFailure
        self.arrivals = arrivals
        self.departures = departures
        self.campaigns = campaigns
        self.unsettled = unsettled
        verdict = SoakResult(samples)
    }

    var isMet: Bool { verdict.isMet && unsettled == 0 && failures == 0 && campaigns > 0 }

    var table: String {
        var table = TextTable("FIGURE", "2ND SIXTH", "LAST SIXTH", "TARGET")
        let (early, late) = (verdict.early, verdict.late)
        table.add("memory, median", Self.megabytes(early.memory), Self.megabytes(late.memory), "at most a tenth more")
        table.add(
            "open files, median", early.files.text(), late.files.text(), "at most \(Self.mostFileGrowth.text()) more"
        )
        table.add("response time, p99", Self.milliseconds(early.p99), Self.milliseconds(late.p99), "≤ 1.2 times")
        table.add("response time, p50", Self.milliseconds(early.p50), Self.milliseconds(late.p50), "")
        for kind in SoakAction.allCases {
            guard let early = early.p99ByCall[kind.rawValue], let late = late.p99ByCall[kind.rawValue] else { continue }
            table.add("p99 of \(kind.rawValue)", Self.milliseconds(early), Self.milliseconds(late), "")
        }
        let total = calls.values.reduce(0, +) + failures
        let kinds = calls.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return """
            \(table.text)

            \(total) calls (\(kinds)), \(failures) failed\(firstFailure.map { "; the first: \($0)" } ?? "").
            \(arrivals) devices arrived, \(departures) left. \(campaigns) campaigns; \(unsettled) of them do not add up.
            """
    }

    private static func megabytes(_ bytes: Double) -> String { "\((bytes / 1_000_000).text(places: 1)) MB" }
    private static func milliseconds(_ value: Double) -> String { "\(value.text(places: 1)) ms" }
}
