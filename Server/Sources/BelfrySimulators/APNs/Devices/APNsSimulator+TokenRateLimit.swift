import Foundation

extension APNsSimulator {
    /// How many pushes one device token takes before 429 `TooManyRequests`. Apple gives no figure.
    public struct TokenRateLimit: Sendable, Equatable {
        /// Pushes that are accepted within the interval.
        public let requests: Int
        /// The interval in seconds; it begins with the first push after the last interval.
        public let interval: TimeInterval

        /// `requests` pushes per `interval` seconds; less than one request is one.
        public init(requests: Int, interval: TimeInterval) {
            self.requests = max(requests, 1)
            self.interval = interval
        }
    }
}
