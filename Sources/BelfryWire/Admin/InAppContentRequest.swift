import BelfryModel

/// The in-app message of a campaign (IAM-1), as it is written: a date without an offset is in the app's time zone
/// (ADM-2), which only the server knows.
public struct InAppContentRequest: Hashable, Sendable, Codable {
    public var type: InAppType
    public var priority: Int?
    public var trigger: InAppTrigger?
    public var viewId: String?
    public var startsAt: String?
    public var endsAt: String?
    public var displayLimit: Int?
    public var delaySeconds: Int?
    public var content: InAppContent
    public var variants: [String: InAppVariant]?
    public var defaults: [String: String]?
    /// With an edit after the launch: displays are counted anew (IAM-4). Before it there are none.
    public var resetDisplays: Bool?

    public init(
        type: InAppType,
        priority: Int? = nil,
        trigger: InAppTrigger? = nil,
        viewId: String? = nil,
        startsAt: String? = nil,
        endsAt: String? = nil,
        displayLimit: Int? = nil,
        delaySeconds: Int? = nil,
        content: InAppContent,
        variants: [String: InAppVariant]? = nil,
        defaults: [String: String]? = nil,
        resetDisplays: Bool? = nil
    ) {
        self.type = type
        self.priority = priority
        self.trigger = trigger
        self.viewId = viewId
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.displayLimit = displayLimit
        self.delaySeconds = delaySeconds
        self.content = content
        self.variants = variants
        self.defaults = defaults
        self.resetDisplays = resetDisplays
    }
}
