import BelfryModel

/// `POST …/audience` (CAMP-3).
public struct AudienceCountRequest: Hashable, Sendable, Codable {
    public var audience: Condition

    public init(audience: Condition) {
        self.audience = audience
    }
}

/// The answer to it.
public struct AudienceCountAnswer: Hashable, Sendable, Codable {
    /// How many belong to the audience now.
    public var devices: Int

    public init(devices: Int) {
        self.devices = devices
    }
}
