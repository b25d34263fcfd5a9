import BelfryModel
import BelfryRules

extension CampaignCheck {
    /// What recipients of other languages get (CAMP-6). Type, buttons and colours are the message's own.
    mutating func checkInAppVariants(_ message: InAppDraft) {
        let variants = message.variants ?? [:]
        checkCount(ofVariants: variants.count, "inApp.variants")
        let buttons = message.content.buttons ?? []
        var locales: Set<String> = []
        for (key, variant) in variants.sorted(by: { $0.key < $1.key }) {
            let field = "inApp.variants.\(key.prefix(64))"
            check(locale: key, among: &locales, field)
            for part in variant.parts where !message.type.shows(part) {
                refuseForeign(part, type: message.type, field)
            }
            checkTexts(variant, field)
            for (id, text) in (variant.buttons ?? [:]).sorted(by: { $0.key < $1.key }) {
                let place = "\(field).buttons.\(id.prefix(64))"
                guard buttons.contains(where: { $0.id == id }) else {
                    refuse(place, "unknownButton", "The message has no button with the id '\(id.prefix(64))'.")
                    continue
                }
                checkText(text, place, "A button's text", InAppLimits.maximumButtonTextLength)
            }
        }
    }

    /// The templates of the message and of each variant, and what their HTML can become (CAMP-4, SEC-4).
    mutating func checkInAppTemplates(_ message: InAppDraft) {
        for key in [nil] + (message.variants ?? [:]).keys.sorted() as [String?] {
            do throws(TemplateFaults) {
                _ = try InAppTemplate(message.variant(key), schema: schema, allowsScripts: allowsInAppScripts)
            } catch {
                for fault in error.faults {
                    guard let field = Self.field(of: fault.field, in: message, variant: key) else { continue }
                    refuse(field, fault.refusal)
                }
            }
        }
    }

    /// Where a fault of a variant stands; nil for what the variant has from the content, whose own faults tell it.
    private static func field(of fault: String, in message: InAppDraft, variant key: String?) -> String? {
        guard let key else { return fault.hasPrefix("defaults.") ? "inApp.\(fault)" : "inApp.content.\(fault)" }
        let field = "inApp.variants.\(key.prefix(64))"
        guard let variant = message.variants?[key] else { return nil }
        if variant.parts.contains(fault) { return "\(field).\(fault)" }
        for (index, button) in (message.content.buttons ?? []).enumerated() where fault == "buttons[\(index)].text" {
            return variant.buttons?[button.id].map { _ in "\(field).buttons.\(button.id.prefix(64))" }
        }
        return nil
    }
}

extension InAppVariant {
    /// The names of what it says.
    fileprivate var parts: [String] {
        let all: [(name: String, isSaid: Bool)] = [
            ("title", title != nil), ("body", body != nil), ("imageUrl", imageUrl != nil),
            ("imageAlt", imageAlt != nil), ("html", html != nil), ("buttons", buttons != nil),
        ]
        return all.filter(\.isSaid).map(\.name)
    }
}
