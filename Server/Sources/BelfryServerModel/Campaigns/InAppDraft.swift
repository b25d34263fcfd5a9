import BelfryModel
import Foundation

/// The in-app message of a campaign (IAM-1): its content, when it may be shown, and how often.
package struct InAppDraft: Hashable, Sendable, Codable {
    package var type: InAppType
    /// The lowest number is shown first (IAM-6). Absent: ``InAppLimits/standardPriority``.
    package var priority: Int?
    /// The trigger. All types but ``InAppType/inline`` have one.
    package var trigger: InAppTrigger?
    /// The id of the app's view for an ``InAppType/inline`` message; compared without case.
    package var viewId: String?
    /// The message is not shown before this time. Absent: it may be shown immediately.
    @ZonedDate package var startsAt: Date?
    /// Hidden from then on, and the campaign is over; absent: when it is cancelled.
    @ZonedDate package var endsAt: Date?
    /// How often a person sees the message on one device. Absent: ``InAppLimits/standardDisplayLimit``, for an inline
    /// message ``InAppLimits/maximumDisplayLimit``.
    package var displayLimit: Int?
    /// Seconds from the trigger to the display. Absent: none.
    package var delaySeconds: Int?
    package var content: InAppContent
    /// The texts for recipients of other languages, by locale (BCP 47).
    package var variants: [String: InAppVariant]?
    /// Default values for variables that a recipient lacks, by the variables' names.
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
    /// The display limit. An inline message has the maximum by default: otherwise its view would be empty the second
    /// time.
    package var effectiveDisplayLimit: Int {
        displayLimit ?? (type == .inline ? InAppLimits.maximumDisplayLimit : InAppLimits.standardDisplayLimit)
    }
    package var effectiveDelaySeconds: Int { delaySeconds ?? 0 }

    /// Whether the message's end has passed.
    package func hasEnded(by now: Date) -> Bool { endsAt.map { $0 <= now } ?? false }

    /// The message for a recipient of a locale: the content with the texts of the variant with this key, or the content
    /// alone without a key. It has no variants.
    package func variant(_ key: String?) -> InAppDraft {
        var draft = self
        draft.variants = nil
        guard let key, let variant = variants?[key] else { return draft }
        draft.content = content.saying(variant)
        return draft
    }
}
