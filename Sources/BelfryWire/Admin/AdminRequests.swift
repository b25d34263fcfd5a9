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
    /// What is kept in a message centre.
    public var messageCenter: MessageCenterContentRequest?
    /// What devices show by themselves.
    public var inApp: InAppContentRequest?
    /// Absent: at once, to all.
    public var schedule: CampaignScheduleRequest?

    public init(
        name: String, kind: CampaignKind, audience: Condition, push: PushContent? = nil,
        messageCenter: MessageCenterContentRequest? = nil, inApp: InAppContentRequest? = nil,
        schedule: CampaignScheduleRequest? = nil
    ) {
        self.name = name
        self.kind = kind
        self.audience = audience
        self.push = push
        self.messageCenter = messageCenter
        self.inApp = inApp
        self.schedule = schedule
    }
}
