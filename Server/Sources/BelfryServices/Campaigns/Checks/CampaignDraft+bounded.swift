import BelfryModel
import BelfryPush
import BelfryServerModel

extension CampaignDraft {
    /// The draft without entries beyond its limits, so that the cost of a check depends only on its size (SEC-8).
    var bounded: CampaignDraft {
        var draft = self
        draft.push?.takeOutExcess()
        draft.messageCenter?.takeOutExcess()
        draft.inApp?.takeOutExcess()
        return draft
    }

    /// A sentence about the first limit that the draft exceeds; nil if it exceeds none. An unchecked draft is rendered
    /// only if it exceeds none (SEC-2).
    var excess: String? { push?.excess ?? messageCenter?.excess ?? inApp?.excess }
}

extension PushContent {
    fileprivate var excess: String? {
        if VariantsCheck.isTooMany(variants) { return VariantsCheck.tooMany }
        if DefaultsCheck.isTooMany(defaults) { return DefaultsCheck.tooMany }
        let all: [[NotificationButton]?] = [buttons] + (variants ?? [:]).values.map(\.buttons)
        if all.contains(where: PushContentCheck.isTooMany) { return PushContentCheck.tooManyButtons }
        guard custom?.exceeds(bytes: APNsPayloadTemplate.maximumBytes) == true else { return nil }
        return "A notification has at most \(APNsPayloadTemplate.maximumBytes) bytes, so its pairs do not fit into it."
    }

    fileprivate mutating func takeOutExcess() {
        if VariantsCheck.isTooMany(variants) { variants = nil }
        if DefaultsCheck.isTooMany(defaults) { defaults = nil }
        if PushContentCheck.isTooMany(buttons) { buttons = nil }
        variants = variants?.mapValues { variant in
            guard PushContentCheck.isTooMany(variant.buttons) else { return variant }
            var variant = variant
            variant.buttons = nil
            return variant
        }
    }
}

extension MessageCenterContent {
    fileprivate var excess: String? {
        if VariantsCheck.isTooMany(variants) { return VariantsCheck.tooMany }
        if DefaultsCheck.isTooMany(defaults) { return DefaultsCheck.tooMany }
        guard custom?.exceeds(bytes: MessageCenterLimits.maximumCustomBytes) == true else { return nil }
        return "The pairs have at most \(MessageCenterLimits.maximumCustomBytes) bytes as JSON."
    }

    fileprivate mutating func takeOutExcess() {
        if VariantsCheck.isTooMany(variants) { variants = nil }
        if DefaultsCheck.isTooMany(defaults) { defaults = nil }
        if custom?.exceeds(bytes: MessageCenterLimits.maximumCustomBytes) == true { custom = nil }
    }
}

extension InAppDraft {
    fileprivate var excess: String? {
        if VariantsCheck.isTooMany(variants) { return VariantsCheck.tooMany }
        if DefaultsCheck.isTooMany(defaults) { return DefaultsCheck.tooMany }
        if (content.buttons ?? []).count > InAppLimits.maximumButtons { return InAppContentCheck.tooManyButtons }
        if (content.actions ?? []).count > InAppLimits.maximumActions { return InAppContentCheck.tooManyActions }
        return nil
    }

    fileprivate mutating func takeOutExcess() {
        if VariantsCheck.isTooMany(variants) { variants = nil }
        if DefaultsCheck.isTooMany(defaults) { defaults = nil }
        if (content.buttons ?? []).count > InAppLimits.maximumButtons { content.buttons = nil }
        if (content.actions ?? []).count > InAppLimits.maximumActions { content.actions = nil }
    }
}

extension [String: AttributeValue] {
    /// Whether this many pairs are certainly more than `bytes` bytes as JSON, with any content: each has a comma,
    /// a colon, a digit and two quotes.
    func exceeds(bytes: Int) -> Bool { count > bytes / 5 }
}
