import BelfryModel
import Foundation

/// How far the server's clock was ahead of a device's when it uploaded events (EVT-9). Events keep the device's time;
/// counting and sorting use the corrected one.
package struct ClockOffset: Hashable, Sendable {
    /// Smaller differences, in seconds, may come from a slow network and are not corrected.
    package static let tolerance: TimeInterval = 60
    /// The range of times that are used, in milliseconds since 1970: from the year 2000 to 9999. A client that sends
    /// microseconds is outside of it.
    static let believable: ClosedRange<Int64> = 946_684_800_000...253_402_300_799_999

    /// The offset in milliseconds. Negative for a device whose clock is fast.
    package let milliseconds: Int64

    /// - Parameters:
    ///   - time: the value of `X-Client-Time`: the device's time when it sent the request.
    ///   - order: the value of `X-Request-Order`, for a client that sends no time. It is that client's time, unless its
    ///     clock was set back.
    /// - Returns: nil when the device sends neither, or its clock is right.
    package init?(time: String?, order: String?, now: Date) {
        self.init(header: time ?? order, now: now)
    }

    /// - Parameter header: the device's time when it sent the request.
    /// - Returns: nil when the device sends no time, or its clock is right.
    package init?(header: String?, now: Date) {
        guard let header, let sent: Int64 = WholeNumber.read(header), Self.believable.contains(sent) else { return nil }
        let (difference, overflow) = Int64((now.timeIntervalSince1970 * 1000).rounded()).subtractingReportingOverflow(
            sent)
        guard !overflow, abs(difference) > Int64(Self.tolerance * 1000) else { return nil }
        milliseconds = difference
    }

    /// The corrected time of an event, never after the upload.
    package func corrected(_ date: Date, now: Date) -> Date {
        min(date.addingTimeInterval(Double(milliseconds) / 1000), now)
    }
}
