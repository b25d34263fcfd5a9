import BelfryModel
import BelfryPush
import BelfryServerModel

extension CampaignDraft {
    /// The draft without what is more than it may hold, so that what is left costs no more than its size (SEC-8).
    var bounded: CampaignDraft {
        var draft = self
        draft.push?.takeOutExcess()
        draft.messageCenter?.takeOutExcess()
        draft.inApp?.takeOutExcess()
        return draft
    }

    /// What is more than it may hold, in a sentence; nil when nothing is. A draft that nobody has checked is rendered only
    /// without (SEC-2).
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
    /// Whether so many pairs are more bytes as JSON than these, whatever they are: a comma, a colon, a number and two
    /// quotes each.
    func exceeds(bytes: Int) -> Bool { count > bytes / 5 }
}
