import BelfryModel
import BelfryServerModel
import Foundation

/// Checks a message center message (MC-3, MC-8). Its texts are compiled by ``MessageCenterTemplateCheck``.
struct MessageCenterCheck {
    let content: MessageCenterContent
    /// The push beside the message, whose title and body replace a missing subject and text.
    let push: PushContent?
    /// When the first recipient gets the message; nil for a campaign without a time.
    let start: Date?
    /// The app's message centers.
    let centers: [MessageCenter]

    func check(_ richMessages: RichMessageRule, _ errors: inout FieldErrors) {
        checkCenter(&errors)
        if push == nil {
            errors.require(!content.subject.isEmpty, "messageCenter.subject", "blank", "A subject cannot be blank.")
            errors.require(!content.message.isEmpty, "messageCenter.message", "blank", "A message cannot be blank.")
        }
        checkOwn(content.own, locale: nil, "messageCenter", richMessages, &errors)
        if let end = content.expiresAt, let start {
            errors.require(
                end > start, "messageCenter.expiresAt", "outOfRange",
                "A message expires after the time at which it is sent."
            )
        }
        BadgeCheck(badge: content.badge, field: "messageCenter.badge").check(&errors)
        errors.require(
            content.badge == nil || push?.badge == nil, "messageCenter.badge", "notTogether",
            "The push already changes the badge."
        )
        checkCustom(content.custom ?? [:], "messageCenter.custom", &errors)
        DefaultsCheck(defaults: content.defaults, field: "messageCenter.defaults").check(&errors)
        VariantsCheck(field: "messageCenter.variants").check(content.variants, &errors) { key, variant, field, errors in
            checkOwn(variant, locale: key, field, richMessages, &errors)
        }
    }

    private func checkCenter(_ errors: inout FieldErrors) {
        do throws(ValueError) {
            let name = try content.center.map { (raw) throws(ValueError) in try MessageCenterName(raw) } ?? .primary
            guard let center = centers.first(where: { $0.name == name }) else {
                let known = centers.map(\.name.rawValue)
                let advice =
                    NearestKey.find(name.rawValue, in: known).map { "Did you mean '\($0)'?" }
                    ?? "It has \(NameList.text(known))."
                throw ValueError(
                    code: "unknownMessageCenter", message: "The app has no message center '\(name)'. \(advice)"
                )
            }
            guard center.isEnabled else {
                throw ValueError(
                    code: "messageCenterDisabled",
                    message: "The message center '\(name)' is disabled. Enable it, or choose another."
                )
            }
        } catch {
            errors.reject("messageCenter.center", error)
        }
    }

    /// Checks the own parts of a message or of a variant; parts taken from elsewhere are checked there.
    private func checkOwn(
        _ message: MessageCenterVariant, locale: String?, _ field: String, _ richMessages: RichMessageRule,
        _ errors: inout FieldErrors
    ) {
        if let subject = message.subject {
            let limit = MessageCenterLimits.maximumSubjectLength
            errors.require(!subject.showsNothing, "\(field).subject", "blank", "A subject cannot be blank.")
            errors.require(
                subject.count <= limit, "\(field).subject", "tooLong", "A subject has at most \(limit) characters."
            )
        }
        if let text = message.message {
            let limit = MessageCenterLimits.maximumMessageBytes
            errors.require(!text.showsNothing, "\(field).message", "blank", "A message cannot be blank.")
            errors.require(
                text.utf8.count <= limit, "\(field).message", "tooLong", "A message has at most \(limit) bytes."
            )
        }
        guard let html = message.richHtml else { return }
        let (place, limit) = ("\(field).richHtml", MessageCenterLimits.maximumRichHTMLBytes)
        errors.require(!html.showsNothing, place, "blank", "Rich content cannot be blank.")
        errors.require(html.utf8.count <= limit, place, "tooLong", "Rich content has at most \(limit) bytes.")
        errors.require(
            !html.utf8.contains(0), place, "invalidCharacter", "Rich content cannot contain the null character."
        )
        errors.require(message.richUrl == nil, place, "notTogether", "A message has 'richUrl' or 'richHtml', not both.")
        errors.require(
            !richMessages.isPageOfPush(for: locale), place, "notTogether",
            "The push opens the page of its action, so the message cannot have HTML. Leave one of them out."
        )
    }

    private func checkCustom(_ custom: [String: AttributeValue], _ field: String, _ errors: inout FieldErrors) {
        for key in custom.keys.sorted() where TextPlaceholder.isUsed(in: key) {
            errors.reject("\(field).\(key.prefix(64))", "invalidCharacter", "A key cannot contain noncharacters.")
        }
        errors.require(custom, maximumBytes: MessageCenterLimits.maximumCustomBytes, field, "The pairs")
    }
}

extension MessageCenterContent {
    /// The message's own parts, as a variant.
    var own: MessageCenterVariant {
        MessageCenterVariant(
            subject: subject.isEmpty ? nil : subject, message: message.isEmpty ? nil : message, iconUrl: iconUrl,
            deeplinkUrl: deeplinkUrl, richUrl: richUrl, richHtml: richHtml
        )
    }
}
