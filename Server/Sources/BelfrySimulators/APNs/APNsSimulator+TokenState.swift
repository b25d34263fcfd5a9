import Foundation

extension APNsSimulator {
    /// What the push service thinks of a device token that it issued.
    public enum TokenState: Sendable, Equatable {
        /// Pushes to its topic are accepted.
        case valid
        /// 410 `Unregistered`: the app was found removed at this time.
        case unregistered(since: Date)
        /// 410 `ExpiredToken`.
        case expired(since: Date)
        /// 400 `BadDeviceToken`.
        case malformed
        /// 400 `DeviceTokenNotForTopic`, whatever the topic.
        case wrongTopic
    }
}
