import BelfryModel

/// The answer to `POST /api/v1/apps`: the only time that the key is shown.
public struct CreateAppAnswer: Hashable, Sendable, Codable {
    public var code: String
    public var name: String
    public var apiKey: String

    public init(code: String, name: String, apiKey: String) {
        self.code = code
        self.name = name
        self.apiKey = apiKey
    }
}

/// The answer to a new campaign and to launch, pause, resume and cancel.
public struct CampaignStatusAnswer: Hashable, Sendable, Codable {
    public var id: String
    public var status: CampaignStatus
    public var reason: String?

    public init(id: String, status: CampaignStatus, reason: String? = nil) {
        self.id = id
        self.status = status
        self.reason = reason
    }
}

/// `GET …/campaigns/{id}`.
public struct CampaignAnswer: Hashable, Sendable, Codable {
    public var id: String
    public var name: String
    public var kind: CampaignKind
    public var status: CampaignStatus
    public var statusReason: String?
    public var audience: Condition
    public var push: PushContent?
    /// What is kept in a message centre.
    public var messageCenter: MessageCenterContent?
    /// What devices show by themselves.
    public var inApp: InAppDraft?
    /// Of an in-app campaign: grows with each edit after its launch.
    public var inAppVersion: Int?
    public var schedule: CampaignSchedule?
    public var createdAt: String
    /// When it begins, or was to begin, by its schedule; absent once it has begun.
    public var scheduledAt: String?
    public var launchedAt: String?
    public var endedAt: String?
    /// When it left the list.
    public var deletedAt: String?
    /// When its in-app message was taken back from the devices that have it.
    public var recalledAt: String?
    public var counts: CampaignCounts
    /// Of a campaign that keeps a message.
    public var messageCenterCounts: MessageCenterCounts?
    /// Of an in-app campaign.
    public var inAppCounts: InAppCounts?

    public init(
        campaign: Campaign, counts: CampaignCounts, messageCenterCounts: MessageCenterCounts? = nil,
        inAppCounts: InAppCounts? = nil
    ) {
        id = campaign.id.description
        name = campaign.draft.name
        kind = campaign.draft.kind
        status = campaign.status
        statusReason = campaign.statusReason
        audience = campaign.draft.audience
        push = campaign.draft.push
        messageCenter = campaign.draft.messageCenter
        inApp = campaign.draft.inApp
        inAppVersion = campaign.draft.kind.isInApp ? campaign.inAppVersion : nil
        schedule = campaign.draft.schedule
        createdAt = Timestamp.text(campaign.createdAt)
        scheduledAt = campaign.scheduledAt.map(Timestamp.text)
        launchedAt = campaign.launchedAt.map(Timestamp.text)
        endedAt = campaign.endedAt.map(Timestamp.text)
        deletedAt = campaign.deletedAt.map(Timestamp.text)
        recalledAt = campaign.recalledAt.map(Timestamp.text)
        self.counts = counts
        self.messageCenterCounts = messageCenterCounts
        self.inAppCounts = inAppCounts
    }
}

/// `GET …/campaigns`.
public struct CampaignListAnswer: Hashable, Sendable, Codable {
    public struct Entry: Hashable, Sendable, Codable {
        public var id: String
        public var name: String
        public var kind: CampaignKind
        public var status: CampaignStatus

        public init(id: String, name: String, kind: CampaignKind, status: CampaignStatus) {
            self.id = id
            self.name = name
            self.kind = kind
            self.status = status
        }
    }

    public var campaigns: [Entry]
    public var cursor: String?

    public init(campaigns: [Entry], cursor: String? = nil) {
        self.campaigns = campaigns
        self.cursor = cursor
    }
}

/// May this channel reach the device, and if not, why (REG-22).
public struct EligibilityAnswer: Hashable, Sendable, Codable {
    public var eligible: Bool
    public var reason: String?

    public init(_ eligibility: Eligibility) {
        eligible = eligibility.isEligible
        reason = eligibility.reason
    }
}

/// `GET …/devices/{clientId}`. Push tokens are shortened (SEC-3).
public struct DeviceAnswer: Hashable, Sendable, Codable {
    public struct OptOutAnswer: Hashable, Sendable, Codable {
        public var reason: OptOutReason
        public var at: String

        public init(reason: OptOutReason, at: String) {
            self.reason = reason
            self.at = at
        }
    }

    public var deviceId: String
    public var contactKey: String?
    public var push: EligibilityAnswer
    public var inApp: EligibilityAnswer
    public var optOut: OptOutAnswer?
    public var pushToken: String?
    public var pushProvider: PushProvider?
    public var pushEnvironment: PushEnvironment?
    public var pushEnabled: Bool?
    public var osPushEnabled: Bool?
    public var revision: Int64?
    /// The newest that was processed; one that was superseded is none.
    public var registration: Registration?
    public var system: SystemProperties
    public var badge: Badge
    public var lastOpenedAt: String?
    public var createdAt: String
    public var updatedAt: String

    public init(
        deviceId: String, contactKey: String?, push: EligibilityAnswer, inApp: EligibilityAnswer,
        optOut: OptOutAnswer?, pushToken: String?, pushProvider: PushProvider?, pushEnvironment: PushEnvironment?,
        pushEnabled: Bool?, osPushEnabled: Bool?, revision: Int64?, registration: Registration?,
        system: SystemProperties, badge: Badge, lastOpenedAt: String?, createdAt: String, updatedAt: String
    ) {
        self.deviceId = deviceId
        self.contactKey = contactKey
        self.push = push
        self.inApp = inApp
        self.optOut = optOut
        self.pushToken = pushToken
        self.pushProvider = pushProvider
        self.pushEnvironment = pushEnvironment
        self.pushEnabled = pushEnabled
        self.osPushEnabled = osPushEnabled
        self.revision = revision
        self.registration = registration
        self.system = system
        self.badge = badge
        self.lastOpenedAt = lastOpenedAt
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// `GET …/devices/{clientId}/events`, newest first.
public struct DeviceEventsAnswer: Hashable, Sendable, Codable {
    public struct Entry: Hashable, Sendable, Codable {
        public var id: String
        public var name: String
        /// By the device's clock.
        public var timestamp: String
        /// By the server's, when the device's was wrong (EVT-9).
        public var correctedTimestamp: String?
        public var attributes: [String: AttributeValue]

        public init(
            id: String, name: String, timestamp: String, correctedTimestamp: String? = nil,
            attributes: [String: AttributeValue]
        ) {
            self.id = id
            self.name = name
            self.timestamp = timestamp
            self.correctedTimestamp = correctedTimestamp
            self.attributes = attributes
        }
    }

    public var events: [Entry]
    public var cursor: String?

    public init(events: [Entry], cursor: String? = nil) {
        self.events = events
        self.cursor = cursor
    }
}

/// `GET …/contacts/{contactKey}`.
public struct ContactAnswer: Hashable, Sendable, Codable {
    public var contactKey: String
    public var known: Bool
    /// As the contact's devices registered it.
    public var partyIdentifier: PartyIdentifier?
    public var attributes: [String: AttributeValue]
    public var tags: [String]
    /// The newest of them, the newest first.
    public var devices: [String]
    /// Of all of them.
    public var deviceCount: Int
    public var lastOpenedAt: String?
    public var createdAt: String

    public init(
        contactKey: String, known: Bool, partyIdentifier: PartyIdentifier?, attributes: [String: AttributeValue],
        tags: [String], devices: [String], deviceCount: Int, lastOpenedAt: String?, createdAt: String
    ) {
        self.contactKey = contactKey
        self.known = known
        self.partyIdentifier = partyIdentifier
        self.attributes = attributes
        self.tags = tags
        self.devices = devices
        self.deviceCount = deviceCount
        self.lastOpenedAt = lastOpenedAt
        self.createdAt = createdAt
    }
}

/// `GET /api/v1/apps`.
public struct AppListAnswer: Hashable, Sendable, Codable {
    public struct Entry: Hashable, Sendable, Codable {
        public var code: String
        public var name: String

        public init(code: String, name: String) {
            self.code = code
            self.name = name
        }
    }

    public var apps: [Entry]
    public var cursor: String?

    public init(apps: [Entry], cursor: String? = nil) {
        self.apps = apps
        self.cursor = cursor
    }
}

/// One attribute of an app's schema.
public struct AttributeAnswer: Hashable, Sendable, Codable {
    public var key: String
    public var type: AttributeType

    public init(key: String, type: AttributeType) {
        self.key = key
        self.type = type
    }
}

/// `GET …/attributes`.
public struct AttributeListAnswer: Hashable, Sendable, Codable {
    public var attributes: [AttributeAnswer]

    public init(attributes: [AttributeAnswer]) {
        self.attributes = attributes
    }
}
