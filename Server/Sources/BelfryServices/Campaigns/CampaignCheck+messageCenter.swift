import BelfryModel
import BelfryPush
import BelfryRules
import Foundation

extension CampaignCheck {
    /// What is kept in a message centre (MC-3, MC-8).
    mutating func checkMessageCenter() {
        guard draft.kind.keepsMessage else {
            require(
                draft.messageCenter == nil, "messageCenter", "notKept",
                "A campaign of kind '\(draft.kind.rawValue)' keeps no message; 'pushAndMessageCenter' does."
            )
            return
        }
        guard let content = draft.messageCenter else {
            refuse(
                "messageCenter", "missing",
                "A campaign of kind 'messageCenter' needs its content under 'messageCenter'."
            )
            return
        }
        checkCenter(content.center)
        checkNeeded(content)
        checkOwn(content.own, locale: nil, "messageCenter")
        checkExpiry(of: content)
        check(content.badge, "messageCenter.badge")
        require(
            content.badge == nil || draft.push?.badge == nil, "messageCenter.badge", "notTogether",
            "The push changes the badge already."
        )
        checkCustom(content.custom ?? [:])
        checkDefaults(content.defaults ?? [:], "messageCenter.defaults")
        checkVariants(content.variants ?? [:])
        checkMessageTemplates(content)
    }

    /// Whether the message of a locale's recipients has rich content that a push can open.
    func keepsRichContent(for locale: String?) -> Bool {
        guard draft.kind.keepsMessage else { return false }
        let message = draft.keptMessage(locale)
        return message.richUrl != nil || message.richHtml != nil
    }

    private mutating func checkCenter(_ raw: String?) {
        do throws(Refusal) {
            let name = try raw.map { (raw) throws(Refusal) in try MessageCenterName(raw) } ?? .primary
            guard let center = centers.first(where: { $0.name == name }) else {
                let known = centers.map(\.name.rawValue)
                let advice =
                    NearestKey.find(name.rawValue, in: known).map { "Did you mean '\($0)'?" }
                    ?? "It has: \(known.joined(separator: ", "))."
                throw Refusal(
                    code: "unknownMessageCenter", message: "The app has no message center '\(name)'. \(advice)"
                )
            }
            guard center.isEnabled else {
                throw Refusal(
                    code: "messageCenterDisabled",
                    message: "The message center '\(name)' is disabled: enable it, or choose another."
                )
            }
        } catch {
            refuse("messageCenter.center", error)
        }
    }

    /// Beside a push, its title and body stand in.
    private mutating func checkNeeded(_ content: MessageCenterContent) {
        guard draft.push == nil else { return }
        require(!content.subject.isEmpty, "messageCenter.subject", "blank", "A subject cannot be blank.")
        require(!content.message.isEmpty, "messageCenter.message", "blank", "A message cannot be blank.")
    }

    private mutating func checkExpiry(of content: MessageCenterContent) {
        guard let end = content.expiresAt, let start = draft.schedule.flatMap(Self.earliestStart) else { return }
        require(
            end > start, "messageCenter.expiresAt", "outOfRange",
            "A message expires after the time at which it is sent."
        )
    }

    private mutating func checkCustom(_ custom: [String: AttributeValue]) {
        let field = "messageCenter.custom"
        for key in custom.keys.sorted() where TextGap.isUsed(in: key) {
            refuse("\(field).\(key.prefix(64))", "invalidCharacter", "A key cannot hold noncharacters.")
        }
        guard let json = try? JSONEncoder().encode(custom) else {
            refuse(field, "notEncodable", "The pairs cannot be written as JSON.")
            return
        }
        let limit = MessageCenterLimits.maximumCustomBytes
        require(json.count <= limit, field, "tooLong", "The pairs have at most \(limit) bytes as JSON.")
    }

    private mutating func checkVariants(_ variants: [String: MessageCenterVariant]) {
        checkCount(ofVariants: variants.count, "messageCenter.variants")
        var locales: Set<String> = []
        for (key, variant) in variants.sorted(by: { $0.key < $1.key }) {
            let field = "messageCenter.variants.\(key.prefix(64))"
            check(locale: key, among: &locales, field)
            checkOwn(variant, locale: key, field)
        }
    }
}
