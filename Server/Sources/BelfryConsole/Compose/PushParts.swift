import BelfryModel
import BelfryServerModel
import Foundation

/// The form fields of a push: its texts, its tap action, and how push services handle it (CAMP-6).
enum PushParts {
    static let all: [ComposePart] = [texts, rows, handling].flatMap(\.self)

    private static let rows: [ComposePart] = [action, badge(isOfPush: true), buttons, variants]

    /// The form fields of a silent push, which shows no text.
    static let silent: [ComposePart] = [
        .number("ttl", api: "push.ttlSeconds", { $0.push?.ttlSeconds }, { $0.push?.ttlSeconds = $1 }),
        .text("collapseId", api: "push.collapseId", { $0.push?.collapseId }, { $0.push?.collapseId = $1 }),
        browsers, custom, defaults,
    ]

    private static let texts: [ComposePart] = [
        ComposePart(["title"], api: [("push.title", "title")]) { draft, _ in
            ["title": [draft.push?.title ?? ""]]
        } write: { fields, draft, _, _ in
            draft.push?.title = fields["title"]
        },
        ComposePart(["body"], api: [("push.body", "body")]) { draft, _ in
            ["body": [draft.push?.body ?? ""]]
        } write: { fields, draft, _, _ in
            draft.push?.body = fields["body"]
        },
        .text("subtitle", api: "push.subtitle", { $0.push?.subtitle }, { $0.push?.subtitle = $1 }),
        .text("image", api: "push.imageUrl", { $0.push?.imageUrl }, { $0.push?.imageUrl = $1 }),
    ]

    private static let handling: [ComposePart] = [
        .text("sound", api: "push.sound", { $0.push?.sound }, { $0.push?.sound = $1 }),
        .number("ttl", api: "push.ttlSeconds", { $0.push?.ttlSeconds }, { $0.push?.ttlSeconds = $1 }),
        .text("collapseId", api: "push.collapseId", { $0.push?.collapseId }, { $0.push?.collapseId = $1 }),
        .text("threadId", api: "push.threadId", { $0.push?.threadId }, { $0.push?.threadId = $1 }),
        level, custom, defaults,
    ]

    /// The tap action: opens a link where there is one, unless the tap opens the rich message.
    private static let action = ComposePart(
        ["opens", "link"], api: [("push.action", "link")]
    ) { draft, _ in
        let action = draft.push?.action
        return ["opens": [action?.type == .openRichMessage ? "rich" : ""], "link": [action?.url ?? ""]]
    } write: { fields, draft, _, _ in
        let link = fields["link"].showsNothing ? nil : fields["link"]
        if fields["opens"] == "rich" {
            draft.push?.action = NotificationAction(type: .openRichMessage, url: link)
        } else {
            draft.push?.action = link.map { NotificationAction(type: .openUrl, url: $0) }
        }
    }

    /// The change of the badge. It is stored in one of the two contents: push or message center.
    static func badge(isOfPush: Bool) -> ComposePart {
        ComposePart(
            ["badge", "badgeValue"],
            api: [("push.badge", "badgeValue"), ("messageCenter.badge", "badgeValue")]
        ) { draft, _ in
            let change = draft.badgeChange
            return ["badge": [change?.op.rawValue ?? ""], "badgeValue": [change?.value.map(String.init) ?? ""]]
        } write: { fields, draft, _, problems in
            let change = badgeChange(fields, over: draft.badgeChange, &problems)
            draft.push?.badge = isOfPush ? change : nil
            draft.messageCenter?.badge = isOfPush ? nil : change
        }
    }

    private static func badgeChange(
        _ fields: FormFields, over base: BadgeChange?, _ problems: inout FormProblems
    ) -> BadgeChange? {
        let text = fields["badgeValue"]
        let op = BadgeChange.Operation(rawValue: fields["badge"])
        // A number has a meaning only for the operations add and set.
        if op == nil || op == .clear,
            ComposePart.isTyped(text, "badgeValue", over: base?.value.map(String.init) ?? "")
        {
            problems.add(
                "badgeValue", "You typed a number. Choose whether it is added or set, or empty this field."
            )
        }
        guard let op else { return nil }
        guard op != .clear, !text.showsNothing else { return BadgeChange(op: op) }
        guard let value: Int = WholeNumber.read(text) else {
            problems.add("badgeValue", "Write a whole number such as 1.")
            return BadgeChange(op: op)
        }
        return BadgeChange(op: op, value: value)
    }

    private static let level = ComposePart(
        ["interruption"], api: [("push.interruptionLevel", "interruption")]
    ) { draft, _ in
        ["interruption": [draft.push?.interruptionLevel?.rawValue ?? ""]]
    } write: { fields, draft, _, _ in
        draft.push?.interruptionLevel = InterruptionLevel(rawValue: fields["interruption"])
    }

    /// Whether browsers get the push. A browser sends nothing for an unchecked box, so a hidden field says that the
    /// form had the box.
    private static let browsers = ComposePart(
        ["browsersAsked", "browsers"], api: [("push.browsers", "browsers")]
    ) { draft, _ in
        ["browsersAsked": ["yes"], "browsers": draft.push?.browsers == true ? ["yes"] : []]
    } write: { fields, draft, _, _ in
        draft.push?.browsers = fields.contains("browsers") ? true : nil
    }

    private static let custom = ComposePart(["custom"], api: [("push.custom", "custom")]) { draft, _ in
        ["custom": [draft.push?.custom.map(ComposeText.json) ?? ""]]
    } write: { fields, draft, _, problems in
        let text = fields["custom"]
        if text.showsNothing {
            draft.push?.custom = nil
        } else if let custom = try? CheckedJSON.decode([String: AttributeValue].self, from: text.utf8) {
            draft.push?.custom = custom
        } else {
            problems.add("custom", "Write an object in JSON with texts, numbers, true and false: {\"screen\":\"sale\"}")
        }
    }

    private static let defaults = ComposeText.defaults(
        "defaults", api: "push.defaults", { $0.push?.defaults }, { $0.push?.defaults = $1 }
    )
}
