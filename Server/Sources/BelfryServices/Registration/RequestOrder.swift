import BelfryModel
import Foundation

/// Decides which of two concurrent changes of one property of one device wins (WIRE-21).
package struct RequestOrder: Hashable, Sendable, Comparable {
    /// Milliseconds since 1970, by the device's clock.
    package let milliseconds: Int64

    /// - Parameters:
    ///   - header: the value of `X-Request-Order`. If it is absent or unreadable, the server's time counts.
    ///   - maximumAhead: an order further ahead of the server than this (in seconds) counts as the server's time.
    package init(header: String?, now: Date, maximumAhead: TimeInterval) {
        let server = Int64((now.timeIntervalSince1970 * 1000).rounded())
        guard let order: Int64 = header.flatMap({ WholeNumber.read($0) }), order >= 0,
            order <= server + Int64(maximumAhead * 1000)
        else {
            milliseconds = server
            return
        }
        milliseconds = order
    }

    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    package static func < (left: RequestOrder, right: RequestOrder) -> Bool {
        left.milliseconds < right.milliseconds
    }
}
