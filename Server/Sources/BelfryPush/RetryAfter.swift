import BelfryModel
import Foundation

/// The `Retry-After` of a response (RFC 9110 §10.2.3).
enum RetryAfter {
    /// The maximum in seconds; a longer delay is shortened to it.
    static let maximum: TimeInterval = 3_600

    /// The delay in seconds from now; only a number of seconds is read.
    static func delay(in response: PushResponse) -> TimeInterval? {
        guard let text = response["retry-after"], !text.isEmpty, text.utf8.allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        // A number with too many digits is a long time as well.
        return WholeNumber.read(text, as: Int.self).map { min(TimeInterval($0), maximum) } ?? maximum
    }

    /// The delay in seconds from now, read from a number of seconds or from a date.
    static func delay(in response: PushResponse, now: Date) -> TimeInterval? {
        delay(in: response)
            ?? response["retry-after"].flatMap(HTTPDate.date).map {
                min(max($0.timeIntervalSince(now), 0), maximum)
            }
    }

    /// The seconds of a `google.protobuf.Duration`, such as `30s` and `1.5s`; a fraction counts as a whole second.
    static func delay(duration text: String) -> TimeInterval? {
        guard text.utf8.last == UInt8(ascii: "s") else { return nil }
        let parts = text.utf8.dropLast().split(
            separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false
        )
        guard let whole = parts.first, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isASCIIDigit) }) else {
            return nil
        }
        let seconds = WholeNumber.read(String(decoding: whole, as: UTF8.self), as: Int.self).map(TimeInterval.init)
        return min((seconds ?? maximum) + (parts.count > 1 ? 1 : 0), maximum)
    }
}
