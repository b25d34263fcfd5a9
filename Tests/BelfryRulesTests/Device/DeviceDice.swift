import Foundation

/// Chance by seed (SplitMix64), so that a failing life can be lived again.
struct DeviceDice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    /// 0 to 1.
    mutating func unit() -> Double {
        Double(next() >> 11) / Double(1 << 53)
    }

    /// Times between events that come by chance, `mean` seconds apart.
    mutating func pause(mean: TimeInterval) -> TimeInterval {
        -mean * log(max(unit(), 1e-12))
    }

    mutating func isLikely(_ probability: Double) -> Bool {
        unit() < probability
    }
}

/// Monday, 5 January 2026, 00:00 UTC.
let deviceEpoch = Date(timeIntervalSince1970: 1_767_571_200)

/// What a restart does to a value: written and read back.
func restarted<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
}
