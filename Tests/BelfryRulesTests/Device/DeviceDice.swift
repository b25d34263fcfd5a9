import BelfryTestSupport
import Foundation

/// Chance by seed, so that a failing life can be lived again.
struct DeviceDice: RandomNumberGenerator {
    private var numbers: SeededGenerator

    init(seed: UInt64) {
        numbers = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 {
        numbers.next()
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

/// A restart: the value is written and read back.
func restarted<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
}
