import Foundation

@testable import Belfry

/// Ids and chance by seed (SplitMix64), so that every run of a test is the same.
final class Chance: Sendable {
    private let state: Locked<UInt64>

    init(seed: UInt64) {
        state = Locked(seed)
    }

    func next() -> UInt64 {
        state.withLock { state in
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
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
