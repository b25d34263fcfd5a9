import Foundation

extension WebPushSimulator {
    /// What a simulator has seen since it was made.
    public struct Statistics: Sendable, Equatable, Codable {
        /// Requests that were read to their end.
        public var requests = 0
        /// Of those, accepted (201).
        public var accepted = 0
        /// Of those, refused, by `Reason`.
        public var refused: [String: Int] = [:]
        /// Faults that were drawn, by name.
        public var faults: [String: Int] = [:]
        /// Accepted pushes that the browser could not read.
        public var unreadable = 0
        /// Connections that were ever open.
        public var connections = 0
        /// Connections that are open.
        public var openConnections = 0
        /// Subscriptions that were made.
        public var subscriptions = 0
        /// Browsers that are connected and have said hello.
        public var browsers = 0
        /// Pushes that were handed to a browser.
        public var delivered = 0
        /// Pushes that were kept for a browser.
        public var kept = 0
        /// Kept pushes whose place a newer one with the same topic took.
        public var replaced = 0
        /// Accepted pushes that no browser will see: expired, not to be stored, or crowded out.
        public var discarded = 0
    }

    /// One accepted push, as the history remembers it.
    public struct Acceptance: Sendable, Equatable {
        /// The id of the subscription.
        public let subscription: String
        /// The last part of `Location`, as the sender got it.
        public let id: String
        /// The sender's own id of the message, where the configuration looks for it; else `id`.
        public let messageID: String
        /// When it was accepted.
        public let acceptedAt: Date
    }
}
