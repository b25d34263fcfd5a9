import BelfryModel
import BelfryRules

extension CampaignCheck {
    /// What a message, or a variant of it, says itself: what it has from elsewhere is checked there.
    mutating func checkOwn(_ message: MessageCenterVariant, locale: String?, _ field: String) {
        let subjects = MessageCenterLimits.maximumSubjectLength
        let texts = MessageCenterLimits.maximumMessageBytes
        if let subject = message.subject {
            require(!subject.showsNothing, "\(field).subject", "blank", "A subject cannot be blank.")
            require(
                subject.count <= subjects, "\(field).subject", "tooLong",
                "A subject has at most \(subjects) characters."
            )
        }
        if let text = message.message {
            require(!text.showsNothing, "\(field).message", "blank", "A message cannot be blank.")
            require(
                text.utf8.count <= texts, "\(field).message", "tooLong", "A message has at most \(texts) bytes."
            )
        }
        checkRichContent(of: message, locale: locale, field)
    }

    /// A rich message is one page or one HTML (CAMP-6).
    private mutating func checkRichContent(of message: MessageCenterVariant, locale: String?, _ field: String) {
        guard let html = message.richHtml else { return }
        let limit = MessageCenterLimits.maximumRichHTMLBytes
        let field = "\(field).richHtml"
        require(!html.showsNothing, field, "blank", "Rich content cannot be blank.")
        require(html.utf8.count <= limit, field, "tooLong", "Rich content has at most \(limit) bytes.")
        require(
            !html.utf8.contains(0), field, "invalidCharacter", "Rich content cannot contain the null character."
        )
        require(message.richUrl == nil, field, "notTogether", "A message has 'richUrl' or 'richHtml', not both.")
        let action = draft.push?.variant(LocaleMatch.best(of: (draft.push?.variants ?? [:]).keys, for: locale)).action
        require(
            action?.type != .openRichMessage || action?.url == nil, field, "notTogether",
            "The push opens the page of its action, so the message has no HTML: leave one of them out."
        )
    }

    /// The templates of the message and of each variant (CAMP-4).
    mutating func checkMessageTemplates(_ content: MessageCenterContent) {
        for key in [nil] + draft.keptMessageLocales as [String?] {
            let field = key.map { "messageCenter.variants.\($0.prefix(64))" } ?? "messageCenter"
            let own = key.map { content.variants?[$0] ?? MessageCenterVariant() } ?? content.own
            let message = draft.keptMessage(key)
            checkInherited(message, own: own, field)
            do throws(TemplateFaults) {
                _ = try MessageCenterTemplate(message, schema: schema)
            } catch {
                for fault in error.faults where own.says(fault.field) || (key == nil && content.says(fault.field)) {
                    refuse("\(field).\(fault.field)", fault.refusal)
                }
            }
        }
    }

    /// A title can be longer than a subject, and a body than a message.
    private mutating func checkInherited(
        _ message: MessageCenterContent, own: MessageCenterVariant, _ field: String
    ) {
        let subjects = MessageCenterLimits.maximumSubjectLength
        require(
            own.subject != nil || draft.messageCenter?.own.subject != nil || message.subject.count <= subjects,
            "\(field).subject", "tooLong",
            "The push's title is too long for a subject, which has at most \(subjects) characters: give it one."
        )
    }
}

extension MessageCenterContent {
    /// What it says itself, as a variant would.
    var own: MessageCenterVariant {
        MessageCenterVariant(
            subject: subject.isEmpty ? nil : subject, message: message.isEmpty ? nil : message, iconUrl: iconUrl,
            deeplinkUrl: deeplinkUrl, richUrl: richUrl, richHtml: richHtml
        )
    }

    /// Whether a field of all variants alike, as `custom.sku`, is the message's own.
    fileprivate func says(_ field: String) -> Bool {
        if field.hasPrefix("custom.") { return true }
        return (defaults ?? [:]).keys.contains { field == "defaults.\($0.prefix(64))" }
    }
}

extension MessageCenterVariant {
    fileprivate func says(_ field: String) -> Bool {
        switch field {
        case "subject": subject != nil
        case "message": message != nil
        case "iconUrl": iconUrl != nil
        case "deeplinkUrl": deeplinkUrl != nil
        case "richUrl": richUrl != nil
        case "richHtml": richHtml != nil
        default: false
        }
    }
}
