import BelfryCampaigns
import BelfryModel
import BelfryServerModel

/// What the texts of a message and of its variants compile to (CAMP-4).
struct MessageCenterTemplateCheck {
    /// Without what is too many.
    let content: MessageCenterContent
    /// What a campaign with this content keeps: what it has from its push is compiled as well.
    let kept: KeptMessages
    let texts: TextCompiler

    func check(_ errors: inout FieldErrors) {
        let defaults = Set((content.defaults ?? [:]).keys.map { "defaults.\($0.prefix(64))" })
        for key in [nil] + kept.locales as [String?] {
            let field = key.map { "messageCenter.variants.\($0.prefix(64))" } ?? "messageCenter"
            let own = key.map { content.variants?[$0] ?? MessageCenterVariant() } ?? content.own
            let message = kept.message(key)
            checkSubject(of: message, own: own, field, &errors)
            do throws(TemplateErrors) {
                _ = try MessageCenterTemplate(message, texts: texts)
            } catch {
                let parts = own.parts
                errors.refuse(error) { part in
                    // What is of all variants alike, as `custom.sku`, is the message's own.
                    let isOfAll = part.hasPrefix("custom.") || defaults.contains(part)
                    return parts.contains(part) || (key == nil && isOfAll) ? "\(field).\(part)" : nil
                }
            }
        }
    }

    /// The title of a push can be longer than a subject.
    private func checkSubject(
        of message: MessageCenterContent, own: MessageCenterVariant, _ field: String, _ errors: inout FieldErrors
    ) {
        let limit = MessageCenterLimits.maximumSubjectLength
        errors.require(
            own.subject != nil || content.own.subject != nil || message.subject.count <= limit, "\(field).subject",
            "tooLong",
            "The push's title is too long for a subject, which has at most \(limit) characters. Add a subject."
        )
    }
}

extension MessageCenterVariant {
    /// The names of what it says.
    fileprivate var parts: [String] {
        [String](said: [
            "subject": subject, "message": message, "iconUrl": iconUrl, "deeplinkUrl": deeplinkUrl, "richUrl": richUrl,
            "richHtml": richHtml,
        ])
    }
}
