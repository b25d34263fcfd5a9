import BelfryModel

/// `POST …/campaigns/{id}/preview` (CAMP-4).
public struct CampaignPreviewRequest: Hashable, Sendable, Codable {
    /// Absent: some of the audience.
    public var deviceIds: [String]?
    /// How many, when no device is named; absent: 5.
    public var limit: Int?

    public init(deviceIds: [String]? = nil, limit: Int? = nil) {
        self.deviceIds = deviceIds
        self.limit = limit
    }
}

/// What real recipients would see.
public struct CampaignPreviewAnswer: Hashable, Sendable, Codable {
    /// One recipient; without `problem` it has its texts.
    public struct Entry: Hashable, Sendable, Codable {
        public var deviceId: String
        public var locale: String?
        /// The key of the variant that the device gets; absent: the content itself.
        public var variant: String?
        public var title: String?
        public var subtitle: String?
        public var body: String?
        public var imageUrl: String?
        public var action: NotificationAction?
        public var buttons: [NotificationButton]?
        public var custom: [String: AttributeValue]?
        /// What the push or the message does to the badge.
        public var badge: BadgeChange?
        /// What is kept in a message centre, without variants.
        public var messageCenter: MessageCenterContent?
        /// What an in-app message says to them.
        public var inApp: InAppContent?
        /// The page of an in-app message, as a device shows it; its buttons do nothing here.
        public var html: String?
        /// Why the device would get nothing, in a sentence.
        public var problem: String?

        /// - Parameters:
        ///   - content: as the recipient gets it; nil when it cannot be made, or nothing is pushed.
        ///   - message: likewise what is kept for them.
        ///   - inApp: likewise what an in-app message says to them.
        ///   - html: its page.
        public init(
            deviceId: String, locale: String? = nil, variant: String? = nil, content: PushContent?,
            message: MessageCenterContent? = nil, inApp: InAppContent? = nil, html: String? = nil,
            problem: String? = nil
        ) {
            self.deviceId = deviceId
            self.locale = locale
            self.variant = variant
            self.problem = problem
            // A silent push has neither title nor body.
            title = content.flatMap { $0.title.isEmpty ? nil : $0.title }
            subtitle = content?.subtitle
            body = content.flatMap { $0.body.isEmpty ? nil : $0.body }
            imageUrl = content?.imageUrl
            action = content?.action
            buttons = content?.buttons
            custom = content?.custom
            badge = content?.badge ?? message?.badge
            messageCenter = message
            self.inApp = inApp
            self.html = html
        }
    }

    public var previews: [Entry]

    public init(previews: [Entry]) {
        self.previews = previews
    }
}

/// The answer to `POST …/campaigns/{id}/dry-run`: who would get it and who not, by reason (CAMP-7).
public struct DryRunAnswer: Hashable, Sendable, Codable {
    /// One device and what would become of it.
    public struct Sample: Hashable, Sendable, Codable {
        public var deviceId: String
        /// `wouldSend`, `later` or `suppressed`.
        public var outcome: String
        public var reason: String?
        public var at: String?

        public init(deviceId: String, outcome: String, reason: String? = nil, at: String? = nil) {
            self.deviceId = deviceId
            self.outcome = outcome
            self.reason = reason
            self.at = at
        }
    }

    /// The sum of the others.
    public var audience: Int
    public var wouldSend: Int
    public var later: Int
    public var suppressed: [String: Int]
    public var samples: [Sample]

    public init(audience: Int, wouldSend: Int, later: Int, suppressed: [String: Int], samples: [Sample]) {
        self.audience = audience
        self.wouldSend = wouldSend
        self.later = later
        self.suppressed = suppressed
        self.samples = samples
    }
}

/// `POST …/campaigns/{id}/test` (CAMP-7).
public struct TestSendRequest: Hashable, Sendable, Codable {
    public var deviceIds: [String]

    public init(deviceIds: [String]) {
        self.deviceIds = deviceIds
    }
}

/// What became of a test message, device by device.
public struct TestSendAnswer: Hashable, Sendable, Codable {
    public struct Result: Hashable, Sendable, Codable {
        public var deviceId: String
        public var state: DeliveryState
        public var reason: String?
        public var sentence: String

        public init(deviceId: String, state: DeliveryState, reason: String? = nil, sentence: String) {
            self.deviceId = deviceId
            self.state = state
            self.reason = reason
            self.sentence = sentence
        }
    }

    public var results: [Result]

    public init(results: [Result]) {
        self.results = results
    }
}
