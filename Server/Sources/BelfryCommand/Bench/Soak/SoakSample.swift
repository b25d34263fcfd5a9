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
    /// The response times themselves, for the percentiles of a longer time.
    let milliseconds: [Double]

    init(seconds: Double, memoryBytes: Int?, openFiles: Int?, milliseconds: [Double], failures: Int) {
        self.seconds = seconds.rounded(places: 1)
        self.memoryBytes = memoryBytes
        self.openFiles = openFiles
        p50Milliseconds = milliseconds.median.rounded(places: 2)
        p99Milliseconds = milliseconds.quantile(0.99).rounded(places: 2)
        calls = milliseconds.count + failures
        self.failures = failures
        self.milliseconds = milliseconds
    }
}
