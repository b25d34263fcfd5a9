import Foundation

/// How long the tests run that can run for any time: a story by seed, or kills at random moments. `make test` runs a few
/// of each, `make endurance` all.
public enum Endurance {
    /// Whether all are run: `BELFRY_TEST_ENDURANCE=1`.
    public static let isOn = ProcessInfo.processInfo.environment["BELFRY_TEST_ENDURANCE"] == "1"

    /// - Parameters:
    ///   - count: how many times in `make endurance`.
    ///   - brief: how many times in `make test`.
    public static func times(_ count: Int, brief: Int) -> Int { isOn ? count : brief }

    /// The seeds of so many stories.
    public static func seeds(_ count: UInt64, brief: UInt64) -> ClosedRange<UInt64> { 1...(isOn ? count : brief) }
}
