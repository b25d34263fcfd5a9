import Foundation

/// What the push service knows of a device token when a push for it arrives.
struct DeviceTokenState: Sendable, Equatable {
    var topic: String
    var environment: APNsEnvironment
    var state: APNsTokenState
}

/// What the push service thinks of a device token that it issued.
public enum APNsTokenState: Sendable, Equatable {
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

/// Which of Apple's two services an endpoint and a device token belong to. Each has a port of its own here, as it
/// has a host of its own there (`api.push.apple.com`, `api.sandbox.push.apple.com`).
public enum APNsEnvironment: String, Sendable, Codable, CaseIterable {
    /// Apps from the App Store, TestFlight and ad hoc builds.
    case production
    /// Development builds.
    case sandbox
}
