extension APNsSimulator {
    /// Which of Apple's two services an endpoint and a device token belong to. Each has a port of its own here, as it
    /// has a host of its own there (`api.push.apple.com`, `api.sandbox.push.apple.com`).
    public enum Environment: String, Sendable, Codable, CaseIterable {
        /// Apps from the App Store, TestFlight and ad hoc builds.
        case production
        /// Development builds.
        case sandbox
    }
}
