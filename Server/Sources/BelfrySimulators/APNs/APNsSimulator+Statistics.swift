import Foundation

extension APNsSimulator {
    /// What a simulator has seen since it was made.
    public struct Statistics: Sendable, Equatable, Codable {
        /// Requests that were read to their end.
        public var requests = 0
        /// Of those, accepted (200).
        public var accepted = 0
        /// Of those, answered: the answer was written to their connection. The others wait for a slow answer or get none, or
        /// their connection ended first.
        public var answered = 0
        /// Of those, refused, by Apple's reason.
        public var refused: [String: Int] = [:]
        /// Faults that were drawn, by name.
        public var faults: [String: Int] = [:]
        /// Accepted pushes without `apns-push-type`: allowed, but watchOS needs it.
        public var withoutPushType = 0
        /// Connections that were ever open.
        public var connections = 0
        /// Connections that are open.
        public var openConnections = 0
        /// Device tokens that were issued.
        public var deviceTokens = 0
        /// Pushes that were handed to a device.
        public var delivered = 0
        /// Pushes that were kept for a device.
        public var kept = 0
        /// Kept pushes whose place a newer one with the same collapse id took.
        public var replaced = 0
        /// Accepted pushes that no device will see: expired, not to be stored, or crowded out.
        public var discarded = 0
    }

    /// One accepted push, as the history remembers it.
    public struct Acceptance: Sendable, Equatable {
        /// The device token, 64 lowercase hexadecimal digits.
        public let token: String
        /// `apns-id`, the provider's or the simulator's.
        public let apnsID: String
        /// When it was accepted.
        public let acceptedAt: Date
    }
}
