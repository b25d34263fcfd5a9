import BelfryModel

/// An in-app message as a device downloads it (WIRE-9): with the recipient's texts and dates in ISO 8601, UTC.
public struct InAppMessageBody: Hashable, Sendable, Codable {
    /// One per campaign and device; it stays over edits, and is the `messageId` of the message's events.
    public var id: String
    /// Grows with each edit of the campaign.
    public var version: Int
    public var campaignId: String
    public var type: InAppType
    /// The lowest number is shown first (IAM-6).
    public var priority: Int
    /// Nil only for inline messages.
    public var trigger: InAppTrigger?
    /// The view of an inline message.
    public var viewId: String?
    public var startsAt: String?
    public var endsAt: String?
    /// How often the person may see it on this device.
    public var displayLimit: Int
    /// The number of displays in this epoch that the server knows of; absent: none. If the device knows more, its own
    /// number counts.
    public var displayCount: Int?
    /// Grows when an editor resets the displays; absent: 0.
    public var displayEpoch: Int?
    /// Seconds from the trigger to the display.
    public var delaySeconds: Int
    public var content: InAppContent

    public init(
        id: String,
        version: Int,
        campaignId: String,
        type: InAppType,
        priority: Int = InAppLimits.standardPriority,
        trigger: InAppTrigger? = nil,
        viewId: String? = nil,
        startsAt: String? = nil,
        endsAt: String? = nil,
        displayLimit: Int = InAppLimits.standardDisplayLimit,
        displayCount: Int? = nil,
        displayEpoch: Int? = nil,
        delaySeconds: Int = 0,
        content: InAppContent
    ) {
        self.id = id
        self.version = version
        self.campaignId = campaignId
        self.type = type
        self.priority = priority
        self.trigger = trigger
        self.viewId = viewId
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.displayLimit = displayLimit
        self.displayCount = displayCount
        self.displayEpoch = displayEpoch
        self.delaySeconds = delaySeconds
        self.content = content
    }
}
