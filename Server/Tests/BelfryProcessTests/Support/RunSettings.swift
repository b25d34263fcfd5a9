import BelfryTestSupport
import Foundation

/// How these tests run: some choose at random, and a test run is short where a night may be long.
enum RunSettings {
    /// The seed of random choices: a new one each time, or `BELFRY_TEST_SEED` to repeat a run.
    static let seed: UInt64 = environment["BELFRY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)

    /// How often a process is killed: so many times in `make endurance`, or `BELFRY_TEST_KILLS`.
    static func kills(_ count: Int, brief: Int) -> Int {
        environment["BELFRY_TEST_KILLS"].flatMap { Int($0) } ?? Endurance.times(count, brief: brief)
    }

    /// Where the transcript of the v3 clients is written to, or `BELFRY_TEST_V3_TRANSCRIPT` is absent and it is not.
    static var v3Transcript: URL? {
        environment["BELFRY_TEST_V3_TRANSCRIPT"].map { URL(filePath: $0) }
    }

    /// The same for the transcripts of the SDK, by `BELFRY_TEST_TRANSCRIPTS`.
    static var transcripts: URL? {
        environment["BELFRY_TEST_TRANSCRIPTS"].map { URL(filePath: $0) }
    }

    private static var environment: [String: String] { ProcessInfo.processInfo.environment }
}
