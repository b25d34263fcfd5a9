import BelfryModel
import Foundation

extension HTTPDate {
    /// `Retry-After`: seconds, or a date; nil for anything else.
    ///
    /// - Parameter now: by the sender's clock, because the device's may be wrong.
    static func retryAfter(_ text: String?, now: Date) -> TimeInterval? {
        guard let text else { return nil }
        if let seconds: Int = WholeNumber.read(text) { return TimeInterval(max(seconds, 0)) }
        return date(text).map { max($0.timeIntervalSince(now), 0) }
    }
}
