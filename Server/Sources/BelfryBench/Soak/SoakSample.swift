/// The server at one moment, and the calls since the moment before.
struct SoakSample: Sendable, Encodable {
    private enum CodingKeys: String, CodingKey {
        case seconds, memoryBytes, openFiles, p50Milliseconds, p99Milliseconds, calls, failures
    }

    /// Since the load began.
    let seconds: Double
    /// Resident memory; nil where the system does not tell. So is the next.
    let memoryBytes: Int?
    let openFiles: Int?
    /// Response times of the calls since the last sample, in milliseconds; 0 when there was none.
    let p50Milliseconds: Double
    let p99Milliseconds: Double
    let calls: Int
    /// Of them, refused or without a response.
    let failures: Int
    /// The response times themselves by what was called, for the percentiles of a longer time.
    let milliseconds: [SoakAction: [Double]]

    init(
        seconds: Double, memoryBytes: Int?, openFiles: Int?, milliseconds: [SoakAction: [Double]], failures: Int
    ) {
        let all = milliseconds.values.flatMap { $0 }
        self.seconds = seconds.rounded(places: 1)
        self.memoryBytes = memoryBytes
        self.openFiles = openFiles
        p50Milliseconds = all.median.rounded(places: 2)
        p99Milliseconds = all.quantile(0.99).rounded(places: 2)
        calls = all.count + failures
        self.failures = failures
        self.milliseconds = milliseconds
    }
}
