import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import Foundation

/// Chance by seed, and what the tests of delivery draw with it: the same seed draws the same story on every machine.
struct DeliveryDice: RandomNumberGenerator {
    private var numbers: SeededGenerator

    init(seed: UInt64) {
        numbers = SeededGenerator(seed: seed)
    }

    mutating func next() -> UInt64 {
        numbers.next()
    }

    mutating func fraction() -> Double {
        Double.random(in: 0..<1, using: &self)
    }

    mutating func roll(_ sides: Int) -> Int {
        Int.random(in: 0..<sides, using: &self)
    }

    /// A date within two days of `date`.
    mutating func date(near date: Date) -> Date {
        date.addingTimeInterval(Double.random(in: -172_800...172_800, using: &self).rounded())
    }

    mutating func outcome(near date: Date) -> PushOutcome {
        let retryAfter = roll(2) == 0 ? nil : TimeInterval(roll(10_000))
        return switch roll(12) {
        case 0: .accepted
        case 1: .tokenInvalid(reason: "Unregistered", since: roll(3) == 0 ? nil : self.date(near: date))
        case 2: .tokenMalformed(reason: "BadDeviceToken")
        case 3: .topicError(reason: "DeviceTokenNotForTopic")
        case 4: .credentialError(reason: "InvalidProviderToken")
        case 5: .credentialExpired(reason: "ExpiredProviderToken")
        case 6: .payloadError(reason: "PayloadTooLarge")
        case 10: .unanswered(reason: "time-out")
        case 11: .notSent(reason: "no connection")
        case 7: .throttled(reason: "TooManyRequests", retryAfter: retryAfter)
        default: .unavailable(reason: "ServiceUnavailable", retryAfter: retryAfter)
        }
    }
}

/// A fixed moment: Friday, 21 November 2025.
let deliveryEpoch = Date(timeIntervalSince1970: 1_763_683_200)
