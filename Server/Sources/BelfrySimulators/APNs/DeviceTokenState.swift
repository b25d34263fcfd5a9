import Foundation

/// The push service's knowledge of a device token when a push for it arrives.
struct DeviceTokenState: Sendable, Equatable {
    var topic: String
    var environment: APNsEnvironment
    var state: APNsTokenState
}

/// The state of a device token in the push service.
public enum APNsTokenState: Sendable, Equatable {
    /// Pushes to its topic are accepted.
    case valid
    /// 410 `Unregistered`: the app was removed, as found at this time.
    case unregistered(since: Date)
    /// 410 `ExpiredToken`.
    case expired(since: Date)
    /// 400 `BadDeviceToken`.
    case malformed
    /// 400 `DeviceTokenNotForTopic`, whatever the topic.
    case wrongTopic
}

/// The one of Apple's two services to which an endpoint and a device token belong. In the simulator each has its own
/// port, as it has its own host at Apple (`api.push.apple.com`, `api.sandbox.push.apple.com`).
public enum APNsEnvironment: String, Sendable, Codable, CaseIterable {
    /// Apps from the App Store, TestFlight and ad hoc builds.
    case production
    /// Development builds.
    case sandbox
}
