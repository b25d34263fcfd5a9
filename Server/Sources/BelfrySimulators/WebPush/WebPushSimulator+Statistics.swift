import Foundation

extension WebPushSimulator {
    /// The counts of a simulator since it was created.
    public struct Statistics: Sendable, Equatable, Codable {
        /// Requests that were read completely.
        public var requests = 0
        /// The number of these that were accepted (201).
        public var accepted = 0
        /// The number of rejected requests, by `Reason`.
        public var refused: [String: Int] = [:]
        /// Faults that were drawn, by name.
        public var faults: [String: Int] = [:]
        /// Accepted pushes that the browser could not read.
        public var unreadable = 0
        /// All connections so far.
        public var connections = 0
        /// Connections that are open now.
        public var openConnections = 0
        /// Subscriptions that were created.
        public var subscriptions = 0
        /// Browsers that are connected and have said hello.
        public var browsers = 0
        /// Pushes that were handed to a browser.
        public var delivered = 0
        /// Pushes that were stored for a browser.
        public var kept = 0
        /// Stored pushes that were replaced by a newer one with the same topic.
        public var replaced = 0
        /// Accepted pushes that no browser will get: expired, not to be stored, or displaced by newer ones.
        public var discarded = 0
    }

    /// One accepted push in the history.
    public struct Acceptance: Sendable, Equatable {
        /// The id of the subscription.
        public let subscription: String
        /// The last part of `Location`, as the sender got it.
        public let id: String
        /// The sender's own id of the message, from the configured path; otherwise `id`.
        public let messageID: String
        /// When it was accepted.
        public let acceptedAt: Date
    }
}
