import BelfryModel
import Foundation

/// An in-app message on the device (IAM-3): its content, when it may be shown, and how often it was.
public struct InAppMessage: Identifiable, Hashable, Sendable {
    /// One per campaign and device; it does not change with edits.
    public let id: String
    /// 1, increased by one with each edit (IAM-4).
    public let version: Int
    /// The campaign on the server.
    public let campaignID: String
    /// How it is shown.
    public let type: InAppType
    /// The message with the lowest number is shown first, if several may be shown (IAM-6).
    public let priority: Int
    /// The event that shows the message; nil for an inline message, which is shown in the app's view.
    public let trigger: InAppTrigger?
    /// The view of an inline message; nil for other types.
    public let viewID: String?
    /// It is not shown before; nil: no start.
    public let startsAt: Date?
    /// It is removed from then on; nil: no end.
    public let endsAt: Date?
    /// How often this person may see it on this device.
    public let displayLimit: Int
    /// How often they saw it, since an edit last reset the count (IAM-4).
    public let displayCount: Int
    /// Seconds from its trigger to its display.
    public let delay: TimeInterval
    /// Texts, image, buttons and their actions, rendered for this person.
    public let content: InAppContent

    /// Creates a message for previews and tests. The SDK creates those of the server.
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
    /// The display limit is reached: it is not shown again.
    public var isExhausted: Bool { displayCount >= displayLimit }
}
