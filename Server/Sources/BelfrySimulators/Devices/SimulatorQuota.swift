import Foundation

/// How many requests are taken in a while, before 429.
public struct SimulatorQuota: Sendable, Equatable {
    /// Requests that are accepted within the interval.
    public let requests: Int
    /// The interval in seconds; it begins with the first request after the last interval.
    public let interval: TimeInterval

    /// `requests` per `interval` seconds; less than one request is one.
    public init(requests: Int, interval: TimeInterval) {
        self.requests = max(requests, 1)
        self.interval = interval
    }
}
