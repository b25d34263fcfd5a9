import BelfryModel

/// An in-app message as a device downloads it (WIRE-9): its texts are the recipient's, its dates ISO 8601 in UTC.
public struct InAppMessageBody: Hashable, Sendable, Codable {
    /// One per campaign and device; it stays over edits, and is the `messageId` of the message's events.
    public var id: String
    /// Grows with each edit of the campaign.
    public var version: Int
    public var campaignId: String
    public var type: InAppType
    /// The lowest goes first (IAM-6).
    public var priority: Int
    /// All but inline messages have one.
    public var trigger: InAppTrigger?
    /// Of an inline message.
    public var viewId: String?
    public var startsAt: String?
    public var endsAt: String?
    /// How often the person sees it on this device.
    public var displayLimit: Int
    /// How often the server knows that it was seen in this epoch; absent: never. A device that knows more counts more.
    public var displayCount: Int?
    /// Grows when an editor lets the displays be counted anew; absent: 0.
    public var displayEpoch: Int?
    /// From the trigger to the display.
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
