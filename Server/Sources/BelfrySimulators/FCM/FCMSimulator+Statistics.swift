import Foundation

extension FCMSimulator {
    /// The counts of a simulator since it was created.
    public struct Statistics: Sendable, Equatable, Codable {
        /// Requests other than those for access tokens that were read completely.
        public var requests = 0
        /// The number of these that were accepted (200).
        public var accepted = 0
        /// The number of rejected requests, by `ErrorCode`.
        public var refused: [String: Int] = [:]
        /// Faults that were drawn for messages, by name.
        public var faults: [String: Int] = [:]
        /// Accepted messages that were only validated (`validate_only`).
        public var validated = 0
        /// Requests for access tokens.
        public var tokenRequests = 0
        /// The number of these that got an access token.
        public var accessTokens = 0
        /// The number of rejected requests for access tokens, by the `error` of OAuth 2.
        public var tokenRequestsRefused: [String: Int] = [:]
        /// Faults that were drawn for the token endpoint, by name.
        public var tokenFaults: [String: Int] = [:]
        /// All connections so far.
        public var connections = 0
        /// Connections that are open now.
        public var openConnections = 0
        /// Registration tokens that were issued.
        public var deviceTokens = 0
        /// Messages that were handed to a device.
        public var delivered = 0
        /// Messages that were stored for a device.
        public var kept = 0
        /// Stored messages that were replaced by a newer one with the same collapse key.
        public var replaced = 0
        /// Accepted messages that no device will get: expired, not to be stored, or displaced by newer ones.
        public var discarded = 0
    }

    /// One accepted message in the history.
    public struct Acceptance: Sendable, Equatable {
        /// The registration token.
        public let token: String
        /// `projects/…/messages/…`, as the sender got it.
        public let name: String
        /// The sender's own id of the message, from the configured path; otherwise `name`.
        public let messageID: String
        /// When it was accepted.
        public let acceptedAt: Date
    }
}
