import BelfryModel

/// What a campaign keeps in a message centre (MC-3). What its message does not say itself is as in the push beside it.
extension CampaignDraft {
    /// The locales whose recipients get a message of their own, each once: those of the message and of the push.
    public var keptMessageLocales: [String] {
        let own = (messageCenter?.variants ?? [:]).keys.sorted()
        let known = Set(own.map(LocaleMatch.canonical))
        return own + ofPush.keys.filter { !known.contains(LocaleMatch.canonical($0)) }.sorted()
    }

    /// The message for recipients of one of these locales, or with nil for all others. It has no variants.
    public func keptMessage(_ locale: String?) -> MessageCenterContent {
        let content = messageCenter ?? MessageCenterContent()
        var message = content.variant(LocaleMatch.best(of: (content.variants ?? [:]).keys, for: locale))
        guard kind.keepsMessage, let push else { return message }
        message.complete(with: push.variant(LocaleMatch.best(of: ofPush.keys, for: locale)))
        message.defaults = content.defaults(with: push.defaults ?? [:])
        return message
    }

    private var ofPush: [String: PushVariant] { kind.keepsMessage ? push?.variants ?? [:] : [:] }
}

extension MessageCenterContent {
    /// Takes the push's title and body, and what opening it does, where the message says nothing of it.
    fileprivate mutating func complete(with push: PushContent) {
        if subject.isEmpty { subject = push.title }
        if message.isEmpty { message = push.body }
        // A message that leads somewhere itself leads nowhere else.
        guard deeplinkUrl == nil, richUrl == nil, richHtml == nil else { return }
        switch push.action?.type {
        case .openUrl: deeplinkUrl = push.action?.url
        case .openRichMessage: richUrl = push.action?.url
        case .launchApp, nil: break
        }
    }

    /// The message's own defaults, and those of the push for variables that it has none for.
    fileprivate func defaults(with ofPush: [String: String]) -> [String: String]? {
        let own = defaults ?? [:]
        // A variable may be written in two ways, and has one default.
        let known = Set(own.keys.map(Self.variable))
        let all = own.merging(ofPush.filter { !known.contains(Self.variable($0.key)) }) { first, _ in first }
        return all.isEmpty ? nil : all
    }

    /// `contact.city` is `city`; `contact.key` is no attribute, and `contact.device.x` is another than `device.x`.
    private static func variable(_ name: String) -> String {
        let prefix = "contact."
        guard name.hasPrefix(prefix), name != "contact.key", !name.hasPrefix("contact.device.") else { return name }
        return String(name.dropFirst(prefix.count))
    }
}
