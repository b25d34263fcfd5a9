import BelfryModel

/// `PUT /client/push-token` (WIRE-5); `push_token` is an alias.
public struct PushTokenRequest: Hashable, Sendable, Codable {
    public var pushToken: String
    public var provider: PushProvider?
    public var environment: PushEnvironment?

    public init(pushToken: String, provider: PushProvider? = nil, environment: PushEnvironment? = nil) {
        self.pushToken = pushToken
        self.provider = provider
        self.environment = environment
    }

    private enum Key: String, CodingKey {
        case pushToken, provider, environment
        case pushTokenAlias = "push_token"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let key: Key = container.contains(.pushToken) ? .pushToken : .pushTokenAlias
        if (try? container.nestedContainer(keyedBy: Key.self, forKey: key)) != nil {
            // What is wrong with a subscription is said of its own members.
            pushToken = try container.decode(BrowserSubscription.self, forKey: key).text
        } else if container.contains(key) {
            pushToken = try container.decode(String.self, forKey: key)
        } else {
            pushToken = try container.decode(String.self, forKey: .pushToken)
        }
        provider = try container.decodeIfPresent(PushProvider.self, forKey: .provider)
        environment = try container.decodeIfPresent(PushEnvironment.self, forKey: .environment)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(pushToken, forKey: .pushToken)
        try container.encodeIfPresent(provider, forKey: .provider)
        try container.encodeIfPresent(environment, forKey: .environment)
    }
}
