import Foundation

extension FCMSimulator {
    /// What a simulator has seen since it was made.
    public struct Statistics: Sendable, Equatable, Codable {
        /// Requests other than those for access tokens that were read to their end.
        public var requests = 0
        /// Of those, accepted (200).
        public var accepted = 0
        /// Of those, refused, by `ErrorCode`.
        public var refused: [String: Int] = [:]
        /// Faults that were drawn for messages, by name.
        public var faults: [String: Int] = [:]
        /// Accepted messages that were only to be checked (`validate_only`).
        public var validated = 0
        /// Requests for access tokens.
        public var tokenRequests = 0
        /// Of those, answered with an access token.
        public var accessTokens = 0
        /// Of those, refused, by the `error` of OAuth 2.
        public var tokenRequestsRefused: [String: Int] = [:]
        /// Faults that were drawn for the token endpoint, by name.
        public var tokenFaults: [String: Int] = [:]
        /// Connections that were ever open.
        public var connections = 0
        /// Connections that are open.
        public var openConnections = 0
        /// Registration tokens that were issued.
        public var deviceTokens = 0
        /// Messages that were handed to a device.
        public var delivered = 0
        /// Messages that were kept for a device.
        public var kept = 0
        /// Kept messages whose place a newer one with the same collapse key took.
        public var replaced = 0
        /// Accepted messages that no device will see: expired, not to be stored, or crowded out.
        public var discarded = 0
    }

    /// One accepted message, as the history remembers it.
    public struct Acceptance: Sendable, Equatable {
        /// The registration token.
        public let token: String
        /// `projects/…/messages/…`, as the sender got it.
        public let name: String
        /// The sender's own id of the message, where the configuration looks for it; else `name`.
        public let messageID: String
        /// When it was accepted.
        public let acceptedAt: Date
    }
}
