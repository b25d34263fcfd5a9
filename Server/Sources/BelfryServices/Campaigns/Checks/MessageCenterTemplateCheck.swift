import BelfryCampaigns
import BelfryModel
import BelfryServerModel

/// Compiles the texts of a message and of its variants (CAMP-4).
struct MessageCenterTemplateCheck {
    /// The message without excess entries.
    let content: MessageCenterContent
    /// The messages that a campaign with this content keeps, including what they take from the push.
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
                errors.reject(error) { part in
                    // A part that all variants share, such as `custom.sku`, belongs to the message.
                    let isOfAll = part.utf8.starts(with: "custom.".utf8) || defaults.contains(part)
                    return parts.contains(part) || (key == nil && isOfAll) ? "\(field).\(part)" : nil
                }
            }
        }
    }

    /// Checks the subject if it comes from the push: a push's title may be longer than a subject.
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
    /// The names of the parts that the variant has.
    fileprivate var parts: [String] {
        [String](said: [
            "subject": subject, "message": message, "iconUrl": iconUrl, "deeplinkUrl": deeplinkUrl, "richUrl": richUrl,
            "richHtml": richHtml,
        ])
    }
}
