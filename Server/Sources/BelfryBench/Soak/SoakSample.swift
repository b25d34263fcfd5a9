/// The server's resource use at one moment, and the calls since the last sample.
struct SoakSample: Sendable, Encodable {
    private enum CodingKeys: String, CodingKey {
        case seconds, memoryBytes, openFiles, p50Milliseconds, p99Milliseconds, calls, failures
    }

    /// Seconds since the load began.
    let seconds: Double
    /// Resident memory; nil when the system does not report it, as is the next figure.
    let memoryBytes: Int?
    let openFiles: Int?
    /// Response times of the calls since the last sample, in milliseconds; 0 when there were none.
    let p50Milliseconds: Double
    let p99Milliseconds: Double
    let calls: Int
    /// The calls that were refused or had no response.
    let failures: Int
    /// All response times by kind of call, for the percentiles of a longer time.
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
