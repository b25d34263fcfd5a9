import BelfryModel
import BelfryServerModel

extension ContentCompiler {
    /// The content with placeholders where a text differs by recipient.
    mutating func compile(_ content: MessageCenterContent) -> MessageCenterContent {
        var content = content
        content.variants = nil
        content.defaults = nil
        content.subject = compile(content.subject, .plain(isNeeded: true), "subject")
        content.message = compile(content.message, .plain(isNeeded: true), "message")
        content.iconUrl = compile(content.iconUrl, .url(.secure), "iconUrl")
        content.deeplinkUrl = compile(content.deeplinkUrl, .url(.link), "deeplinkUrl")
        content.richUrl = compile(content.richUrl, .url(.secure), "richUrl")
        content.richHtml = compile(content.richHtml, .html(.richContent), "richHtml")
        content.custom = compile(content.custom)
        return content
    }
}

extension MessageCenterContent {
    /// The content with each of the texts that may be templates replaced.
    func replacingTexts(_ replace: (String) -> String) -> MessageCenterContent {
        var content = self
        content.subject = replace(subject)
        content.message = replace(message)
        content.iconUrl = iconUrl.map(replace)
        content.deeplinkUrl = deeplinkUrl.map(replace)
        content.richUrl = richUrl.map(replace)
        content.richHtml = richHtml.map(replace)
        content.custom = custom?.mapValues { $0.replacingText(replace) }
        return content
    }
}

extension AttributeValue {
    /// The attribute value with a text replaced. Other values do not change.
    func replacingText(_ replace: (String) -> String) -> AttributeValue {
        if case .string(let text) = self { .string(replace(text)) } else { self }
    }
}
