import Foundation

/// Why APNs does not take a request.
struct APNsRefusal: Error, Sendable, Equatable {
    let reason: APNsSimulator.Reason
    /// With 410 only: since when the device token is no longer good.
    let timestamp: Date?

    init(_ reason: APNsSimulator.Reason, timestamp: Date? = nil) {
        self.reason = reason
        self.timestamp = timestamp
    }
}
