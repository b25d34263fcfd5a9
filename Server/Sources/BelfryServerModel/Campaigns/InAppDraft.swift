import BelfryModel
import Foundation

/// The in-app message of a campaign (IAM-1): what it says, when it may show, and how often.
package struct InAppDraft: Hashable, Sendable, Codable {
    package var type: InAppType
    /// The lowest goes first (IAM-6); absent: ``InAppLimits/standardPriority``.
    package var priority: Int?
    /// All but ``InAppType/inline`` have one.
    package var trigger: InAppTrigger?
    /// The place in the app that an ``InAppType/inline`` message is for; compared without case.
    package var viewId: String?
    /// Nobody sees it before; absent: at once.
    @ZonedDate package var startsAt: Date?
    /// Hidden from then on, and the campaign is over; absent: when it is cancelled.
    @ZonedDate package var endsAt: Date?
    /// How often a person sees it on one device; absent: ``InAppLimits/standardDisplayLimit``, for an inline message
    /// ``InAppLimits/maximumDisplayLimit``.
    package var displayLimit: Int?
    /// Seconds from the trigger to the display; absent: none.
    package var delaySeconds: Int?
    package var content: InAppContent
    /// What recipients of other languages get, by locale (BCP 47).
    package var variants: [String: InAppVariant]?
    /// What stands in for a template's variable that a recipient lacks, by its name.
    package var defaults: [String: String]?

    package init(
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
    package var effectivePriority: Int { priority ?? InAppLimits.standardPriority }
    /// The place of an inline message would be empty the second time.
    package var effectiveDisplayLimit: Int {
        displayLimit ?? (type == .inline ? InAppLimits.maximumDisplayLimit : InAppLimits.standardDisplayLimit)
    }
    package var effectiveDelaySeconds: Int { delaySeconds ?? 0 }

    /// Whether its time is over.
    package func hasEnded(by now: Date) -> Bool { endsAt.map { $0 <= now } ?? false }

    /// What a recipient of a locale gets: the variant with this key over the content, or without one the content alone.
    /// It has no variants of its own.
    package func variant(_ key: String?) -> InAppDraft {
        var draft = self
        draft.variants = nil
        guard let key, let variant = variants?[key] else { return draft }
        draft.content = content.saying(variant)
        return draft
    }
}
