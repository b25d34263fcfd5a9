import Foundation

/// How long the tests run that can run for any time: a story by seed, kills at random moments, all places where a
/// process may die. `make test` runs a few of each, `make endurance` all.
public enum Endurance {
    /// Whether all are run: `BELFRY_TEST_ENDURANCE=1`.
    public static let isOn = ProcessInfo.processInfo.environment["BELFRY_TEST_ENDURANCE"] == "1"

    /// - Parameters:
    ///   - count: how many times in `make endurance`.
    ///   - brief: how many times in `make test`.
    public static func times(_ count: Int, brief: Int) -> Int { isOn ? count : brief }

    /// The seeds of so many stories.
    public static func seeds(_ count: UInt64, brief: UInt64) -> ClosedRange<UInt64> { 1...(isOn ? count : brief) }

    /// All elements in `make endurance`, some of them in `make test`.
    ///
    /// - Parameters:
    ///   - step: every so many-th element is one of them.
    ///   - first: the index of the first of them; the same elements under another condition begin elsewhere, so that
    ///     more places are met.
    public static func sample<Element>(_ elements: [Element], every step: Int, from first: Int = 0) -> [Element] {
        isOn ? elements : stride(from: first % step, to: elements.count, by: step).map { elements[$0] }
    }
}
