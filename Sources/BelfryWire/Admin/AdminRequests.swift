import BelfryModel

/// `POST /api/v1/apps` (ADM-2).
public struct CreateAppRequest: Hashable, Sendable, Codable {
    public var code: String
    public var name: String

    public init(code: String, name: String) {
        self.code = code
        self.name = name
    }
}

/// `PUT …/credentials/apns` (ADM-2).
public struct APNsCredentialsRequest: Hashable, Sendable, Codable {
    public var teamId: String
    public var keyId: String
    public var topic: String
    /// The .p8 file as PEM.
    public var privateKey: String
    public var endpoint: String?
    public var sandboxEndpoint: String?
    /// PEM certificates.
    public var trustRoots: String?

    public init(
        teamId: String,
        keyId: String,
        topic: String,
        privateKey: String,
        endpoint: String? = nil,
        sandboxEndpoint: String? = nil,
        trustRoots: String? = nil
    ) {
        self.teamId = teamId
        self.keyId = keyId
        self.topic = topic
        self.privateKey = privateKey
        self.endpoint = endpoint
        self.sandboxEndpoint = sandboxEndpoint
        self.trustRoots = trustRoots
    }
}

/// `PUT …/attributes/{key}` (ADM-2).
public struct DefineAttributeRequest: Hashable, Sendable, Codable {
    public var type: AttributeType

    public init(type: AttributeType) {
        self.type = type
    }
}

/// `POST …/campaigns` (ADM-2).
public struct CampaignRequest: Hashable, Sendable, Codable {
    public var name: String
    public var kind: CampaignKind
    public var audience: Condition
    public var push: PushContent?

    public init(name: String, kind: CampaignKind, audience: Condition, push: PushContent? = nil) {
        self.name = name
        self.kind = kind
        self.audience = audience
        self.push = push
    }
}
