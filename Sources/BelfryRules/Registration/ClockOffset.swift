import BelfryModel
import Foundation

/// By how much the server's clock was ahead of a device's when it uploaded events (EVT-9). Events keep the device's
/// time; what is counted and sorted is the corrected one.
public struct ClockOffset: Hashable, Sendable {
    /// Seconds of difference that a slow network explains; they correct nothing.
    public static let tolerance: TimeInterval = 60
    /// A clock before the year 2000 or after 9999 is no clock; in milliseconds since 1970. Whoever counts microseconds
    /// is after it.
    static let believable: ClosedRange<Int64> = 946_684_800_000...253_402_300_799_999

    /// Negative for a device whose clock is fast.
    public let milliseconds: Int64

    /// - Parameters:
    ///   - time: the value of `X-Client-Time`: the device's time when it sent the request.
    ///   - order: the value of `X-Request-Order`, for a client that says no time: its time, unless its clock was set
    ///     back.
    /// - Returns: nil when the device does not say, or its clock is right.
    public init?(time: String?, order: String?, now: Date) {
        self.init(header: time ?? order, now: now)
    }

    /// - Parameter header: the device's time when it sent the request.
    /// - Returns: nil when the device does not say, or its clock is right.
    public init?(header: String?, now: Date) {
        guard let header, let sent: Int64 = WholeNumber.read(header), Self.believable.contains(sent) else { return nil }
        let (difference, overflow) = Int64((now.timeIntervalSince1970 * 1000).rounded()).subtractingReportingOverflow(
            sent)
        guard !overflow, abs(difference) > Int64(Self.tolerance * 1000) else { return nil }
        milliseconds = difference
    }

    /// When it really happened: never after the upload.
    public func corrected(_ date: Date, now: Date) -> Date {
        min(date.addingTimeInterval(Double(milliseconds) / 1000), now)
    }
}
