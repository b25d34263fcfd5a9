import BelfryTestSupport
import Foundation

@testable import Belfry

/// Ids and chance by seed, so that every run of a test is the same.
final class Chance: Sendable {
    private let numbers: Locked<SeededGenerator>

    init(seed: UInt64) {
        numbers = Locked(SeededGenerator(seed: seed))
    }

    func next() -> UInt64 {
        numbers.withLock { $0.next() }
    }

    func unit() -> Double {
        Double(next() >> 11) / Double(1 << 53)
    }

    func uuid() -> UUID {
        let words = [next(), next()]
        return words.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}

extension DeviceEnvironment {
    /// The world of a test.
    static func manual(_ clock: ManualClock, _ chance: Chance) -> DeviceEnvironment {
        DeviceEnvironment(
            now: { clock.now },
            random: { chance.unit() },
            makeUUID: { chance.uuid() },
            sleep: { until in await clock.rest(until: until) }
        )
    }
}
