import Foundation

/// The in-app message of a campaign (IAM-1): what it says, when it may show, and how often.
public struct InAppDraft: Hashable, Sendable {
    public var type: InAppType
    /// The lowest goes first (IAM-6); absent: ``InAppLimits/standardPriority``.
    public var priority: Int?
    /// All but ``InAppType/inline`` have one.
    public var trigger: InAppTrigger?
    /// The place in the app that an ``InAppType/inline`` message is for; compared without case.
    public var viewId: String?
    /// Nobody sees it before; absent: at once.
    public var startsAt: Date?
    /// Nobody sees it from then on, and the campaign is over; absent: when it is cancelled.
    public var endsAt: Date?
    /// How often a person sees it on one device; absent: ``InAppLimits/standardDisplayLimit``, for an inline message
    /// ``InAppLimits/maximumDisplayLimit``.
    public var displayLimit: Int?
    /// Seconds from the trigger to the display; absent: none.
    public var delaySeconds: Int?
    public var content: InAppContent
    /// What recipients of other languages get, by locale (BCP 47).
    public var variants: [String: InAppVariant]?
    /// What stands in for a template's variable that a recipient lacks, by its name.
    public var defaults: [String: String]?

    public init(
        type: InAppType,
        priority: Int? = nil,
        trigger: InAppTrigger? = nil,
        viewId: String? = nil,
        startsAt: Date? = nil,
        endsAt: Date? = nil,
        displayLimit: Int? = nil,
        delaySeconds: Int? = nil,
        content: InAppContent,
        variants: [String: InAppVariant]? = nil,
        defaults: [String: String]? = nil
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
    }
}

extension InAppDraft {
    public var effectivePriority: Int { priority ?? InAppLimits.standardPriority }
    /// The place of an inline message would be empty the second time.
    public var effectiveDisplayLimit: Int {
        displayLimit ?? (type == .inline ? InAppLimits.maximumDisplayLimit : InAppLimits.standardDisplayLimit)
    }
    public var effectiveDelaySeconds: Int { delaySeconds ?? 0 }

    /// Whether its time is over.
    public func hasEnded(by now: Date) -> Bool { endsAt.map { $0 <= now } ?? false }

    /// What a recipient of a locale gets: the variant with this key over the content, or without one the content alone.
    /// It has no variants of its own.
    public func variant(_ key: String?) -> InAppDraft {
        var draft = self
        draft.variants = nil
        guard let key, let variant = variants?[key] else { return draft }
        draft.content = content.saying(variant)
        return draft
    }
}
