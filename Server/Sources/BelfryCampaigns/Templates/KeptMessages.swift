import BelfryModel
import BelfryServerModel

/// The messages that a campaign stores in a message center (MC-3), prepared once for all locales. Fields that its
/// message leaves out are taken from its push.
package struct KeptMessages: Sendable {
    /// The locales whose recipients get a message of their own, each once: those of the message and of the push.
    package let locales: [String]

    private let content: MessageCenterContent
    /// The push that fills in fields that the message leaves out.
    private let push: PushContent?
    private let ofContent: LocaleTable
    private let ofPush: LocaleTable
    private let defaults: [String: String]?

    package init(_ draft: CampaignDraft) {
        let content = draft.messageCenter ?? MessageCenterContent()
        self.content = content
        push = draft.kind.keepsMessage ? draft.push : nil
        let own = (content.variants ?? [:]).keys.sorted()
        let others = (push?.variants ?? [:]).keys
        let known = Set(own.map(LocaleMatch.canonical))
        locales = own + others.filter { !known.contains(LocaleMatch.canonical($0)) }.sorted()
        ofContent = LocaleTable(own)
        ofPush = LocaleTable(others)
        defaults = push.map { content.defaults(with: $0.defaults ?? [:]) } ?? content.defaults
    }

    /// The message for recipients of one of these locales, or with nil for all others. It has no variants.
    package func message(_ locale: String?) -> MessageCenterContent {
        var message = content.variant(ofContent.best(for: locale))
        guard let push else { return message }
        message.complete(with: push.variant(ofPush.best(for: locale)))
        message.defaults = defaults
        return message
    }
}

extension MessageCenterContent {
    /// Takes the push's title, body and opening action where the message has none of its own.
    fileprivate mutating func complete(with push: PushContent) {
        if subject.isEmpty { subject = push.title }
        if message.isEmpty { message = push.body }
        // A message with an address or rich content of its own does not take the push's action.
        guard deeplinkUrl == nil, richUrl == nil, richHtml == nil else { return }
        switch push.action?.type {
        case .openUrl: deeplinkUrl = push.action?.url
        case .openRichMessage: richUrl = push.action?.url
        case .launchApp, nil: break
        }
    }

    /// The message's own default values, and the push's for variables without one.
    fileprivate func defaults(with ofPush: [String: String]) -> [String: String]? {
        let own = defaults ?? [:]
        // A variable may be written in two ways, and has one default value.
        let known = Set(own.keys.map(Self.variable))
        let all = own.merging(ofPush.filter { !known.contains(Self.variable($0.key)) }) { first, _ in first }
        return all.isEmpty ? nil : all
    }

    /// The variable without its optional prefix: `contact.city` is `city`. `contact.key` and `contact.party.x` are no
    /// attributes, and `contact.device.x` is another variable than `device.x`.
    private static func variable(_ name: String) -> String {
        let prefix = "contact.".utf8
        guard name.utf8.starts(with: prefix), name != "contact.key", !name.utf8.starts(with: "contact.device.".utf8),
            !name.utf8.starts(with: TemplateVariable.partyPrefix.utf8)
        else { return name }
        return String(Substring(name.utf8.dropFirst(prefix.count)))
    }
}
