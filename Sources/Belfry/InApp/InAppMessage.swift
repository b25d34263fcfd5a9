import BelfryModel
import Foundation

/// An in-app message as the device has it (IAM-3): what it shows, when it may, and how often it did.
public struct InAppMessage: Identifiable, Hashable, Sendable {
    /// One per campaign and device; it stays over edits.
    public let id: String
    /// 1, and one more for each edit (IAM-4).
    public let version: Int
    /// The campaign on the server.
    public let campaignID: String
    /// How it is shown.
    public let type: InAppType
    /// Of several that may be shown the one with the lowest number is (IAM-6).
    public let priority: Int
    /// What makes it appear; nil for an inline one, which appears where the app has its view.
    public let trigger: InAppTrigger?
    /// The place of an inline message in the app; nil for the others.
    public let viewID: String?
    /// Before that it is not shown; nil for one that may be at once.
    public let startsAt: Date?
    /// From then on it is gone; nil for one without an end.
    public let endsAt: Date?
    /// How often this person may see it on this device.
    public let displayLimit: Int
    /// How often they saw it, since its editor last began anew (IAM-4).
    public let displayCount: Int
    /// Seconds from its trigger to its appearance.
    public let delay: TimeInterval
    /// Texts, picture, buttons and what they do, rendered for this person.
    public let content: InAppContent

    /// Makes a message by hand, for previews and tests; the SDK makes those of the server.
    public init(
        id: String,
        version: Int = 1,
        campaignID: String,
        type: InAppType,
        priority: Int = InAppLimits.standardPriority,
        trigger: InAppTrigger? = nil,
        viewID: String? = nil,
        startsAt: Date? = nil,
        endsAt: Date? = nil,
        displayLimit: Int = 1,
        displayCount: Int = 0,
        delay: TimeInterval = 0,
        content: InAppContent
    ) {
        self.id = id
        self.version = version
        self.campaignID = campaignID
        self.type = type
        self.priority = priority
        self.trigger = trigger
        self.viewID = viewID
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.displayLimit = displayLimit
        self.displayCount = displayCount
        self.delay = delay
        self.content = content
    }
}

extension InAppMessage {
    /// The person saw it as often as they may; it is not shown again.
    public var isExhausted: Bool { displayCount >= displayLimit }
}
