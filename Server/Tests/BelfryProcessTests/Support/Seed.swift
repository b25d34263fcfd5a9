import Foundation

/// Where a test that chooses at random begins: fresh each time, or what the environment says, to repeat a run.
enum Seed {
    static let current: UInt64 =
        ProcessInfo.processInfo.environment["BELFRY_TEST_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
}
