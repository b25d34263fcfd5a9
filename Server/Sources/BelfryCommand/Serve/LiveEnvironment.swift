import BelfryServices
import Foundation

extension ServerEnvironment {
    /// The real clock and the system's randomness.
    static let live = ServerEnvironment(
        now: { Date() },
        randomBytes: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        },
        jitter: { Double.random(in: 0..<1) },
        uuid: { UUID() },
        sleepUntil: { date in
            let seconds = date.timeIntervalSinceNow
            guard seconds > 0 else { return try Task.checkCancellation() }
            try await Task.sleep(for: .seconds(seconds))
        }
    )
}
