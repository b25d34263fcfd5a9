import BelfryModel
import BelfryServerModel

/// The form fields of an in-app message: its look, its trigger, how often and when it is shown (IAM-1, IAM-5, IAM-12).
enum InAppParts {
    static let standardTrigger = "session:start"

    static let all: [ComposePart] = [[look, trigger], limits, texts, rest].flatMap(\.self)

    private static let rest: [ComposePart] = [
        colors.merged(.fields), tap, buttons, actions, variants, filter,
        ComposeText.defaults("defaults", api: "inApp.defaults", { $0.inApp?.defaults }, { $0.inApp?.defaults = $1 }),
    ]

    private static let look = ComposePart(["type"], api: [("inApp.type", "type")]) { draft, _ in
        ["type": [(draft.inApp?.type ?? .modal).rawValue]]
    } write: { fields, draft, _, problems in
        guard let type = InAppType(rawValue: fields["type"]) else {
            return problems.add("type", "Choose what it looks like.")
        }
        draft.inApp?.type = type
        // The app asks for an inline message itself, so the standard trigger with which the form began is removed.
        if type == .inline, draft.inApp?.trigger == InAppTrigger(event: standardTrigger) { draft.inApp?.trigger = nil }
    }

    private static let limits: [ComposePart] = [
        .text("viewId", api: "inApp.viewId", { $0.inApp?.viewId }, { $0.inApp?.viewId = $1 }),
        .number("priority", api: "inApp.priority", { $0.inApp?.priority }, { $0.inApp?.priority = $1 }),
        .moment("starts", api: "inApp.startsAt", { $0.inApp?.startsAt }, { $0.inApp?.startsAt = $1 }),
        .moment("ends", api: "inApp.endsAt", { $0.inApp?.endsAt }, { $0.inApp?.endsAt = $1 }),
        .number("limit", api: "inApp.displayLimit", { $0.inApp?.displayLimit }, { $0.inApp?.displayLimit = $1 }),
        .number("delay", api: "inApp.delaySeconds", { $0.inApp?.delaySeconds }, { $0.inApp?.delaySeconds = $1 }),
    ]

    private static let texts: [ComposePart] = [
        .text("title", api: "inApp.content.title", { $0.inApp?.content.title }, { $0.inApp?.content.title = $1 }),
        .text("body", api: "inApp.content.body", { $0.inApp?.content.body }, { $0.inApp?.content.body = $1 }),
        .text(
            "image", api: "inApp.content.imageUrl", { $0.inApp?.content.imageUrl },
            { $0.inApp?.content.imageUrl = $1 }
        ),
        .text(
            "alt", api: "inApp.content.imageAlt", { $0.inApp?.content.imageAlt }, { $0.inApp?.content.imageAlt = $1 }),
        .text("html", api: "inApp.content.html", { $0.inApp?.content.html }, { $0.inApp?.content.html = $1 }),
        ComposePart(["layout"], api: [("inApp.content.layout", "layout")]) { draft, _ in
            ["layout": [draft.inApp?.content.layout?.rawValue ?? ""]]
        } write: { fields, draft, _, _ in
            draft.inApp?.content.layout = InAppLayout(rawValue: fields["layout"])
        },
    ]

    /// The event that triggers the message. Its conditions are rows in a part of their own.
    private static let trigger = ComposePart(
        ["trigger", "occurrence"],
        api: [("inApp.trigger.occurrence", "occurrence"), ("inApp.trigger.event", "trigger")]
    ) { draft, _ in
        let trigger = draft.inApp?.trigger
        return ["trigger": [trigger?.event ?? ""], "occurrence": [trigger?.occurrence.map(String.init) ?? ""]]
    } write: { fields, draft, _, problems in
        let event = fields["trigger"]
        guard !event.showsNothing else {
            let before = draft.inApp?.trigger?.occurrence.map(String.init) ?? ""
            if ComposePart.isTyped(fields["occurrence"], "occurrence", over: before) {
                problems.add("occurrence", "You typed which of the events. Name the event, or empty this field.")
            }
            draft.inApp?.trigger = nil
            return
        }
        var trigger = draft.inApp?.trigger ?? InAppTrigger(event: event)
        trigger.event = event
        trigger.occurrence = WholeNumber.read(fields["occurrence"])
        if trigger.occurrence == nil, !fields["occurrence"].showsNothing {
            problems.add("occurrence", "Write a whole number such as 3, or nothing for the first.")
        }
        draft.inApp?.trigger = trigger
    }

    /// The form fields for colours, with the API name of each.
    private static let colors = ComposePart(
        ["background", "text", "button", "buttonColor", "darkBackground", "darkText", "darkButton", "darkButtonColor"],
        api: [
            ("inApp.content.colors.dark.background", "darkBackground"), ("inApp.content.colors.dark.text", "darkText"),
            ("inApp.content.colors.dark.buttonText", "darkButtonColor"),
            ("inApp.content.colors.dark.button", "darkButton"), ("inApp.content.colors.buttonText", "buttonColor"),
            ("inApp.content.colors.background", "background"), ("inApp.content.colors.text", "text"),
            ("inApp.content.colors", "button"),
        ]
    ) { draft, _ in
        let colors = draft.inApp?.content.colors
        let dark = colors?.dark
        return [
            "background": [colors?.background ?? ""], "text": [colors?.text ?? ""], "button": [colors?.button ?? ""],
            "buttonColor": [colors?.buttonText ?? ""], "darkBackground": [dark?.background ?? ""],
            "darkText": [dark?.text ?? ""], "darkButton": [dark?.button ?? ""],
            "darkButtonColor": [dark?.buttonText ?? ""],
        ]
    } write: { fields, draft, _, _ in
        func said(_ name: String) -> String? { fields[name].showsNothing ? nil : fields[name] }
        let dark = InAppDarkColors(
            background: said("darkBackground"), text: said("darkText"), button: said("darkButton"),
            buttonText: said("darkButtonColor")
        )
        let colors = InAppColors(
            background: said("background"), text: said("text"), button: said("button"), buttonText: said("buttonColor"),
            dark: dark == InAppDarkColors() ? nil : dark
        )
        draft.inApp?.content.colors = colors == InAppColors() ? nil : colors
    }

    private static let tap = ComposePart(
        ["tapDoes", "tapTarget"], api: [("inApp.content.action", "tapTarget")]
    ) { draft, _ in
        let action = draft.inApp?.content.action
        return ["tapDoes": [action?.type.rawValue ?? ""], "tapTarget": [action.map(target) ?? ""]]
    } write: { fields, draft, _, problems in
        let base = draft.inApp?.content.action
        let (kind, typed) = (fields["tapDoes"], fields["tapTarget"])
        if ComposePart.isTyped(typed, "tapTarget", over: base.map(target) ?? ""), let sentence = needless(kind) {
            problems.add("tapTarget", sentence)
        }
        draft.inApp?.content.action = action(kind, typed, of: base)
    }

    /// The URL that an action opens, or the event that it tracks.
    static func target(_ action: InAppAction) -> String {
        action.type == .event ? action.name ?? "" : action.url ?? ""
    }

    /// The error for a URL or event name that an action of this kind would ignore; nil where the kind needs it.
    static func needless(_ kind: String) -> String? {
        switch InAppActionKind(rawValue: kind) {
        case .openUrl?, .event?: nil
        case .close?, .pushSettings?: "The chosen action does not use this. Choose another action, or empty this field."
        case nil: "You typed a target. Choose an action for it, or empty this field."
        }
    }

    /// - Parameter base: the former action; values that the form does not show are kept from it.
    static func action(_ kind: String, _ target: String, of base: InAppAction?) -> InAppAction? {
        guard let kind = InAppActionKind(rawValue: kind) else { return nil }
        let said = target.showsNothing ? nil : target
        var action = base?.type == kind ? base ?? InAppAction(type: kind) : InAppAction(type: kind)
        switch kind {
        case .openUrl: action.url = said
        case .event: action.name = said
        case .close, .pushSettings: break
        }
        return action
    }
}
