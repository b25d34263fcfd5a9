import BelfryModel
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
}

extension PushContent {
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
    fileprivate mutating func takeOutExcess() {
        if VariantsCheck.isTooMany(variants) { variants = nil }
        if DefaultsCheck.isTooMany(defaults) { defaults = nil }
        if custom?.exceeds(bytes: MessageCenterLimits.maximumCustomBytes) == true { custom = nil }
    }
}

extension InAppDraft {
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
