import BelfryModel
import BelfryPush
import BelfryRules

extension CampaignCheck {
    /// The content and each of its variants: what they say of themselves, their templates, their size (CAMP-4, CAMP-6).
    mutating func checkTemplates(_ push: PushContent) {
        checkVariants(push.variants ?? [:])
        let isSound = faults.isEmpty
        let keys: [String?] = [nil] + (push.variants ?? [:]).keys.sorted()
        for key in keys {
            // A size is worth telling when all else is well.
            guard let template = compile(push, variant: key), isSound else { continue }
            checkSize(template.shortest, style: .alert, field: key.map { "push.variants.\($0)" } ?? "push")
        }
    }

    private mutating func checkVariants(_ variants: [String: PushVariant]) {
        checkCount(ofVariants: variants.count, "push.variants")
        var locales: Set<String> = []
        for (key, variant) in variants.sorted(by: { $0.key < $1.key }) {
            let field = "push.variants.\(key.prefix(64))"
            check(locale: key, among: &locales, field)
            require(variant.title?.showsNothing != true, "\(field).title", "blank", "A title cannot be blank.")
            require(variant.body?.showsNothing != true, "\(field).body", "blank", "A body cannot be blank.")
            check(variant.action, "\(field).action", opensMessage: keepsRichContent(for: key))
            check(variant.buttons, "\(field).buttons")
        }
    }

    mutating func checkCount(ofVariants count: Int, _ field: String) {
        require(
            count <= Self.maximumVariants, field, "tooMany", "A content has at most \(Self.maximumVariants) variants."
        )
    }

    /// - Parameter locales: those of the variants before.
    mutating func check(locale key: String, among locales: inout Set<String>, _ field: String) {
        require(
            LocaleMatch.isLocale(key), field, "invalidLocale", "A variant's key is a locale, as 'fr' or 'zh-Hant' is."
        )
        require(
            locales.insert(LocaleMatch.canonical(key)).inserted, field, "duplicate",
            "Two variants are for the same locale."
        )
    }

    /// The compiled content; nil when it does not compile, and then its faults are told.
    ///
    /// - Parameter key: the variant's. What it has from the content itself, the content's own faults tell.
    mutating func compile(_ push: PushContent, variant key: String?) -> ContentTemplate? {
        do throws(TemplateFaults) {
            return try ContentTemplate(push.variant(key), schema: schema)
        } catch {
            let variant = key.flatMap { push.variants?[$0] }
            for fault in error.faults where variant?.says(fault.field) ?? true {
                refuse(key.map { "push.variants.\($0).\(fault.field)" } ?? "push.\(fault.field)", fault.refusal)
            }
            return nil
        }
    }

    /// What would be too large for everybody is refused now; what is too large for one recipient, the ledger tells.
    mutating func checkSize(_ content: PushContent, style: PushStyle, field: String) {
        // The longest number a campaign can have, so that what fits now fits then.
        guard let longest = CampaignID(CampaignID.maximum) else { return }
        let extras = PushExtras(draft)
        do throws(PushRequestFault) {
            let sizes: [(service: String, size: Int, limit: Int)] = [
                (
                    "APNs",
                    try APNsPayloadTemplate(content: content, style: style, extras: extras, campaign: longest).size,
                    APNsPayloadTemplate.maximumBytes
                ),
                (
                    "FCM",
                    try FCMPayloadTemplate(content: content, style: style, extras: extras, campaign: longest).size,
                    FCMPayloadTemplate.maximumBytes
                ),
                (
                    "Web Push",
                    try WebPushPayloadTemplate(content: content, style: style, extras: extras, campaign: longest)
                        .size,
                    WebPushPayloadTemplate.maximumBytes
                ),
            ]
            let over = sizes.filter { $0.size > $0.limit }.map {
                "\($0.size) bytes for \($0.service), which takes at most \($0.limit)"
            }
            require(
                over.isEmpty, field, "payloadTooLarge", "The notification has \(over.joined(separator: ", and "))."
            )
        } catch {
            refuse(field, "notEncodable", "The notification cannot be written as JSON (\(error)).")
        }
    }
}

extension PushVariant {
    /// Whether a field, as `buttons[0].text`, is the variant's own.
    fileprivate func says(_ field: String) -> Bool {
        switch field.prefix(while: { $0 != "." && $0 != "[" }) {
        case "title": title != nil
        case "subtitle": subtitle != nil
        case "body": body != nil
        case "imageUrl": imageUrl != nil
        case "action": action != nil
        case "buttons": buttons != nil
        default: false
        }
    }
}
