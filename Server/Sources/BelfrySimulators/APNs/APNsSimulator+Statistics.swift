import Foundation

extension APNsSimulator {
    /// The counts of a simulator since it was created.
    public struct Statistics: Sendable, Equatable, Codable {
        /// Requests that were read completely.
        public var requests = 0
        /// The number of these that were accepted (200).
        public var accepted = 0
        /// The number of accepted requests whose response was written to their connection. The others wait for a slow
        /// response or get none, or their connection ended first.
        public var answered = 0
        /// The number of rejected requests, by Apple's reason.
        public var refused: [String: Int] = [:]
        /// Faults that were drawn, by name.
        public var faults: [String: Int] = [:]
        /// Accepted pushes without `apns-push-type`: allowed, but watchOS needs it.
        public var withoutPushType = 0
        /// All connections so far.
        public var connections = 0
        /// Connections that are open now.
        public var openConnections = 0
        /// Device tokens that were issued.
        public var deviceTokens = 0
        /// Pushes that were handed to a device.
        public var delivered = 0
        /// Pushes that were stored for a device.
        public var kept = 0
        /// Stored pushes that were replaced by a newer one with the same collapse id.
        public var replaced = 0
        /// Accepted pushes that no device will get: expired, not to be stored, or displaced by newer ones.
        public var discarded = 0
    }

    /// One accepted push in the history.
    public struct Acceptance: Sendable, Equatable {
        /// The device token, 64 lowercase hexadecimal digits.
        public let token: String
        /// `apns-id`, the provider's or the simulator's.
        public let apnsID: String
        /// When it was accepted.
        public let acceptedAt: Date
    }
}
