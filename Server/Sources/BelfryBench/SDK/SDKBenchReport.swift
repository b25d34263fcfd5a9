import BelfryCommand

/// The figures of one run of `belfry bench sdk`.
struct SDKBenchReport: Encodable {
    /// Starts of the SDK on one directory: medians, in milliseconds.
    struct Starts: Encodable {
        /// The number of events in the queue before the start.
        let backlog: Int
        let count: Int
        /// How long the calling thread was busy: with `init` and `start` together, and with each.
        let callerMilliseconds: Double
        let initMilliseconds: Double
        let startMilliseconds: Double
        /// The longest busy time of `init` and `start` together.
        let longestMilliseconds: Double
        /// The time from the call of `start` until it returned.
        let returnedMilliseconds: Double

        init(_ openings: [StartBench.Opening], backlog: Int) {
            let busy = openings.map(\.busy.inMilliseconds)
            self.backlog = backlog
            count = openings.count
            callerMilliseconds = busy.median.rounded(places: 3)
            initMilliseconds = openings.map(\.made.inMilliseconds).median.rounded(places: 3)
            startMilliseconds = openings.map { ($0.busy - $0.made).inMilliseconds }.median.rounded(places: 3)
            longestMilliseconds = busy.quantile(1).rounded(places: 3)
            returnedMilliseconds = openings.map(\.returned.inMilliseconds).median.rounded(places: 3)
        }
    }

    let events: Int
    /// The number of events in the queue after the tracking, including the SDK's own.
    let queued: Int
    let perSecond: Double
    let p50Microseconds: Double
    let p99Microseconds: Double
    let firstMicroseconds: Double
    /// The median duration of a bare SQLite commit of such a row.
    let commitMicroseconds: Double
    /// The median and the 99th percentile of `track`, as multiples of the bare commit's.
    let p50Ratio: Double
    let p99Ratio: Double
    let start: Starts
    let startWithoutBacklog: Starts

    /// - Parameter commits: the durations of bare commits in microseconds; at least one.
    init(_ track: TrackBench.Figures, commits: [Double], start: Starts, startWithoutBacklog: Starts) {
        let commit = commits.median
        events = track.microseconds.count
        queued = track.queued
        perSecond = (Double(track.microseconds.count) / track.seconds).rounded()
        p50Microseconds = track.microseconds.quantile(0.5).rounded(places: 1)
        p99Microseconds = track.microseconds.quantile(0.99).rounded(places: 1)
        firstMicroseconds = (track.microseconds.first ?? 0).rounded(places: 1)
        commitMicroseconds = commit.rounded(places: 1)
        p50Ratio = (track.microseconds.quantile(0.5) / commit).rounded(places: 2)
        p99Ratio = (track.microseconds.quantile(0.99) / commit).rounded(places: 2)
        self.start = start
        self.startWithoutBacklog = startWithoutBacklog
    }

    var table: String {
        var table = TextTable("FIGURE", "MEASURED", "TARGET")
        table.add("a bare commit of SQLite, median", "\(commitMicroseconds) µs", "")
        table.add("track, median", "\(p50Microseconds) µs", "")
        table.add("  of a bare commit", "\(p50Ratio) times", "≤ 2.5 times")
        table.add("track, 99 of 100", "\(p99Microseconds) µs", "")
        table.add("  of a bare commit's median", "\(p99Ratio) times", "≤ 8 times")
        table.add("track, the first call", "\(firstMicroseconds) µs", "")
        table.add("track, one after the other", "\(perSecond.text()) a second", "")
        let backlog = "\(start.backlog) events waiting"
        table.add("the calling thread, \(backlog)", "\(start.callerMilliseconds) ms", "≤ 2 ms")
        table.add("  of it in BelfryClient.init", "\(start.initMilliseconds) ms", "")
        table.add("  of it in start()", "\(start.startMilliseconds) ms", "")
        table.add("  the longest of \(start.count) starts", "\(start.longestMilliseconds) ms", "")
        table.add("start() returned after, \(backlog)", "\(start.returnedMilliseconds) ms", "")
        table.add("start() returned after, none waiting", "\(startWithoutBacklog.returnedMilliseconds) ms", "")
        return "\(table.text)\n\n\(Self.explanation)"
    }

    private static let explanation = """
        Targets: PERF-8 and PERF-9. The bare commit is of a row of the same size, by a prepared statement with the same
        settings. The calling thread is a separate queue that runs an app's code: a new client, then
        start(). Only its busy time counts, not the time that start() works on other threads. Each start uses a new
        client on the directory of a client that was stopped properly; medians. If the backlog were read before start()
        returns, the last two lines would differ.
        """
}
