import BelfryModel
import BelfryServerModel

/// Checks the content of an in-app message (IAM-12): it has everything that its type needs, and nothing that its type
/// would ignore.
struct InAppContentCheck {
    static let tooManyButtons = "A message has at most \(InAppLimits.maximumButtons) buttons."
    static let tooManyActions = "A message has at most \(InAppLimits.maximumActions) actions."

    private static let field = "inApp.content"

    private let content: InAppContent
    private let type: InAppType
    /// The ids of the buttons; nil if there are too many. Then the button texts of variants are not checked.
    private let buttonIDs: Set<String>?

    init(content: InAppContent, type: InAppType) {
        self.content = content
        self.type = type
        let buttons = content.buttons ?? []
        buttonIDs = buttons.count <= InAppLimits.maximumButtons ? Set(buttons.map(\.id)) : nil
    }

    func check(_ errors: inout FieldErrors) {
        checkParts(content.parts, Self.field, &errors)
        checkNeeded(&errors)
        checkTexts(InAppVariant(content), Self.field, &errors)
        if let action = content.action {
            InAppActionCheck(action: action, field: "\(Self.field).action").check(&errors)
        }
        checkButtons(content.buttons ?? [], "\(Self.field).buttons", &errors)
        checkActions(content.actions ?? [], "\(Self.field).actions", &errors)
        if let colors = content.colors {
            InAppColorsCheck(colors: colors, field: "\(Self.field).colors").check(&errors)
        }
    }

    /// Checks the variant for another language (CAMP-6). Type, buttons and colours always come from the message.
    func checkVariant(_ variant: InAppVariant, _ field: String, _ errors: inout FieldErrors) {
        checkParts(variant.parts, field, &errors)
        checkTexts(variant, field, &errors)
        guard let buttonIDs else { return }
        for (id, text) in (variant.buttons ?? [:]).sorted(by: { $0.key < $1.key }) {
            let place = "\(field).buttons.\(id.prefix(64))"
            guard buttonIDs.contains(id) else {
                errors.reject(place, "unknownButton", "The message has no button with the id '\(id.prefix(64))'.")
                continue
            }
            errors.requireText(text, place, "A button's text", InAppLimits.maximumButtonTextLength)
        }
    }

    private func checkParts(_ parts: [String], _ field: String, _ errors: inout FieldErrors) {
        let own =
            switch type {
            case .html: "it has 'html' and nothing else"
            case .action: "it shows nothing and has only 'actions'"
            default: "'html' is for the type 'html', 'actions' for the type 'action'"
            }
        for part in parts where !type.shows(part) {
            errors.reject(
                "\(field).\(part)", "notTogether", "A message of type '\(type.rawValue)' has no '\(part)': \(own)."
            )
        }
    }

    private func checkNeeded(_ errors: inout FieldErrors) {
        let (isThere, part, need): (Bool, String, String) =
            switch type {
            case .html: (content.html != nil, "html", " of type 'html' needs its HTML")
            case .action: (content.actions?.isEmpty == false, "actions", " of type 'action' needs at least one action")
            case .fullImage:
                (content.imageUrl != nil, "imageUrl", " of type 'fullImage' needs the https address of its image")
            case .modal, .full, .bannerTop, .bannerBottom, .inline:
                (
                    content.title != nil || content.body != nil || content.imageUrl != nil, "body",
                    " needs a title, a body or an image"
                )
            }
        errors.require(isThere, "\(Self.field).\(part)", "missing", "A message\(need).")
    }

    /// Checks the texts of a message or of a variant.
    private func checkTexts(_ said: InAppVariant, _ field: String, _ errors: inout FieldErrors) {
        errors.requireText(said.title, "\(field).title", "A title", InAppLimits.maximumTitleLength)
        errors.requireText(said.body, "\(field).body", "A body", InAppLimits.maximumBodyLength)
        errors.requireText(
            said.imageAlt, "\(field).imageAlt", "The description of an image", InAppLimits.maximumImageAltLength
        )
        guard let html = said.html else { return }
        let (field, limit) = ("\(field).html", InAppLimits.maximumHTMLBytes)
        errors.require(!html.showsNothing, field, "blank", "HTML cannot be blank.")
        errors.require(!html.utf8.contains(0), field, "invalidCharacter", "HTML cannot contain the null character.")
        errors.require(
            html.utf8.count <= limit, field, "tooLong",
            "The HTML of a message has at most \(limit) bytes; this has \(html.utf8.count)."
        )
    }

    private func checkButtons(_ buttons: [InAppButton], _ field: String, _ errors: inout FieldErrors) {
        guard buttons.count <= InAppLimits.maximumButtons else {
            return errors.reject(field, "tooMany", Self.tooManyButtons)
        }
        let longest = InAppLimits.maximumButtonIDLength
        var ids: Set<String> = []
        for (index, button) in buttons.enumerated() {
            let place = "\(field)[\(index)]"
            errors.require(
                !button.id.showsNothing && button.id.isNamed(within: longest), "\(place).id", "invalidLength",
                "A button's id has 1 to \(longest) characters, is not blank and has no null character."
            )
            errors.require(ids.insert(button.id).inserted, "\(place).id", "duplicate", "Two buttons have the same id.")
            if button.text.isEmpty {
                errors.reject("\(place).text", "blank", "A button needs a text.")
            } else {
                errors.requireText(button.text, "\(place).text", "A button's text", InAppLimits.maximumButtonTextLength)
            }
            InAppActionCheck(action: button.action, field: "\(place).action").check(&errors)
        }
    }

    private func checkActions(_ actions: [InAppAction], _ field: String, _ errors: inout FieldErrors) {
        guard actions.count <= InAppLimits.maximumActions else {
            return errors.reject(field, "tooMany", Self.tooManyActions)
        }
        for (index, action) in actions.enumerated() {
            let place = "\(field)[\(index)]"
            errors.require(
                action.type != .close, "\(place).type", "notTogether",
                "This message shows nothing that could be closed. Use 'openUrl', 'event' or 'pushSettings'."
            )
            InAppActionCheck(action: action, field: place).check(&errors)
        }
    }
}

extension FieldErrors {
    fileprivate mutating func requireText(_ text: String?, _ field: String, _ what: String, _ longest: Int) {
        guard let text else { return }
        require(!text.showsNothing, field, "blank", "\(what) cannot be blank. Leave it out instead.")
        require(text.count <= longest, field, "tooLong", "\(what) has at most \(longest) characters.")
        require(!text.utf8.contains(0), field, "invalidCharacter", "\(what) cannot contain the null character.")
    }
}

extension InAppType {
    /// Whether a message of this type shows this part of a content.
    fileprivate func shows(_ part: String) -> Bool {
        switch self {
        case .html: part == "html"
        case .action: part == "actions"
        case .modal, .full, .fullImage, .bannerTop, .bannerBottom, .inline: part != "html" && part != "actions"
        }
    }
}

extension InAppContent {
    /// The names of the parts that the content has.
    fileprivate var parts: [String] {
        [String](said: [
            "title": title, "body": body, "imageUrl": imageUrl, "imageAlt": imageAlt, "buttons": buttons,
            "action": action, "layout": layout, "colors": colors, "actions": actions, "html": html,
        ])
    }
}

extension InAppVariant {
    /// The content's own texts as a variant. Button texts are not included: they belong to the buttons.
    fileprivate init(_ content: InAppContent) {
        self.init(
            title: content.title, body: content.body, imageUrl: content.imageUrl, imageAlt: content.imageAlt,
            html: content.html
        )
    }

    /// The names of the parts that the variant has.
    var parts: [String] {
        [String](said: [
            "title": title, "body": body, "imageUrl": imageUrl, "imageAlt": imageAlt, "html": html, "buttons": buttons,
        ])
    }
}
