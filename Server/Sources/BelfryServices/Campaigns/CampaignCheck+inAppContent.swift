import BelfryModel
import BelfryPush
import BelfryRules
import Foundation

extension CampaignCheck {
    /// What a message shows and does: all that its type needs, and nothing that it would leave out.
    mutating func checkContent(of message: InAppDraft) {
        let (content, field) = (message.content, "inApp.content")
        checkParts(of: content, type: message.type, field)
        checkNeeded(of: content, type: message.type, field)
        checkTexts(InAppVariant(content), field)
        if let action = content.action { check(action, "\(field).action") }
        checkInAppButtons(content.buttons ?? [], field)
        checkActions(content.actions ?? [], field)
        if let colors = content.colors { check(colors, "\(field).colors") }
    }

    private mutating func checkParts(of content: InAppContent, type: InAppType, _ field: String) {
        let parts: [(name: String, isSaid: Bool)] = [
            ("title", content.title != nil), ("body", content.body != nil), ("imageUrl", content.imageUrl != nil),
            ("imageAlt", content.imageAlt != nil), ("buttons", content.buttons != nil),
            ("action", content.action != nil), ("layout", content.layout != nil),
            ("colors", content.colors != nil), ("actions", content.actions != nil), ("html", content.html != nil),
        ]
        for part in parts where part.isSaid && !type.shows(part.name) {
            refuseForeign(part.name, type: type, field)
        }
    }

    mutating func refuseForeign(_ part: String, type: InAppType, _ field: String) {
        let own =
            switch type {
            case .html: "it has 'html' and nothing beside it"
            case .action: "it shows nothing and has 'actions'"
            default: "'html' is for the type 'html', 'actions' for the type 'action'"
            }
        refuse(
            "\(field).\(part)", "notTogether", "A message of type '\(type.rawValue)' has no '\(part)': \(own)."
        )
    }

    private mutating func checkNeeded(of content: InAppContent, type: InAppType, _ field: String) {
        switch type {
        case .html:
            require(content.html != nil, "\(field).html", "missing", "A message of type 'html' needs its HTML.")
        case .action:
            require(
                content.actions?.isEmpty == false, "\(field).actions", "missing",
                "A message of type 'action' needs at least one action."
            )
        case .fullImage:
            require(
                content.imageUrl != nil, "\(field).imageUrl", "missing",
                "A message of type 'fullImage' needs the https address of its image."
            )
        case .modal, .full, .bannerTop, .bannerBottom, .inline:
            require(
                content.title != nil || content.body != nil || content.imageUrl != nil, "\(field).body", "missing",
                "A message needs a title, a body or an image."
            )
        }
    }

    /// What a message, or a variant of it, says.
    mutating func checkTexts(_ said: InAppVariant, _ field: String) {
        checkText(said.title, "\(field).title", "A title", InAppLimits.maximumTitleLength)
        checkText(said.body, "\(field).body", "A body", InAppLimits.maximumBodyLength)
        checkText(said.imageAlt, "\(field).imageAlt", "What is said of an image", InAppLimits.maximumImageAltLength)
        guard let html = said.html else { return }
        let (field, limit) = ("\(field).html", InAppLimits.maximumHTMLBytes)
        require(!html.showsNothing, field, "blank", "HTML cannot be blank.")
        require(!html.utf8.contains(0), field, "invalidCharacter", "HTML cannot contain the null character.")
        require(
            html.utf8.count <= limit, field, "tooLong",
            "The HTML of a message has at most \(limit) bytes; this has \(html.utf8.count)."
        )
    }

    mutating func checkText(_ text: String?, _ field: String, _ what: String, _ longest: Int) {
        guard let text else { return }
        require(!text.showsNothing, field, "blank", "\(what) cannot be blank: leave it out.")
        require(text.count <= longest, field, "tooLong", "\(what) has at most \(longest) characters.")
        require(!text.utf8.contains(0), field, "invalidCharacter", "\(what) cannot contain the null character.")
    }

    private mutating func checkInAppButtons(_ buttons: [InAppButton], _ field: String) {
        require(
            buttons.count <= InAppLimits.maximumButtons, "\(field).buttons", "tooMany",
            "A message has at most \(InAppLimits.maximumButtons) buttons."
        )
        var ids: Set<String> = []
        for (index, button) in buttons.enumerated() {
            let place = "\(field).buttons[\(index)]"
            let longest = InAppLimits.maximumButtonIDLength
            require(
                !button.id.showsNothing && button.id.isNamed(within: longest), "\(place).id", "invalidLength",
                "A button's id has 1 to \(longest) characters, is not blank and has no null character."
            )
            require(ids.insert(button.id).inserted, "\(place).id", "duplicate", "Two buttons have the same id.")
            require(!button.text.isEmpty, "\(place).text", "blank", "A button needs a text.")
            if !button.text.isEmpty {
                checkText(button.text, "\(place).text", "A button's text", InAppLimits.maximumButtonTextLength)
            }
            check(button.action, "\(place).action")
        }
    }

    private mutating func checkActions(_ actions: [InAppAction], _ field: String) {
        require(
            actions.count <= InAppLimits.maximumActions, "\(field).actions", "tooMany",
            "A message has at most \(InAppLimits.maximumActions) actions."
        )
        for (index, action) in actions.enumerated() {
            let place = "\(field).actions[\(index)]"
            require(
                action.type != .close, "\(place).type", "notTogether",
                "Nothing is shown that could be closed: 'openUrl', 'event' and 'pushSettings' do something."
            )
            check(action, place)
        }
    }

    /// An action does one thing, and says what it needs for it.
    private mutating func check(_ action: InAppAction, _ field: String) {
        let type = action.type
        if type == .openUrl {
            require(
                action.url != nil, "\(field).url", "missing",
                "The action 'openUrl' needs a deep link or web address with a scheme."
            )
        } else {
            require(
                action.url == nil, "\(field).url", "notTogether", "The action '\(type.rawValue)' opens no address."
            )
        }
        guard type != .event else { return checkEvent(of: action, field) }
        require(
            action.name == nil, "\(field).name", "notTogether", "The action '\(type.rawValue)' tracks no event."
        )
        require(
            action.attributes == nil, "\(field).attributes", "notTogether",
            "The action '\(type.rawValue)' tracks no event."
        )
    }

    private mutating func checkEvent(of action: InAppAction, _ field: String) {
        do throws(Refusal) {
            guard let name = action.name else {
                throw Refusal(code: "missing", message: "The action 'event' needs the name of the event.")
            }
            _ = try EventName(name)
        } catch {
            refuse("\(field).name", error)
        }
        let attributes = action.attributes ?? [:]
        let field = "\(field).attributes"
        require(
            attributes.count <= EventLimits.maximumAttributes, field, "tooMany",
            "An event has at most \(EventLimits.maximumAttributes) attributes."
        )
        guard let json = try? JSONEncoder().encode(attributes) else {
            return refuse(field, "notEncodable", "The attributes cannot be written as JSON.")
        }
        // An event has more than its attributes.
        let limit = EventLimits.maximumBytes / 2
        require(json.count <= limit, field, "tooLong", "The attributes have at most \(limit) bytes as JSON.")
    }
}

extension InAppType {
    /// Whether a message of this type shows this part of a content.
    func shows(_ part: String) -> Bool {
        switch self {
        case .html: part == "html"
        case .action: part == "actions"
        case .modal, .full, .fullImage, .bannerTop, .bannerBottom, .inline: part != "html" && part != "actions"
        }
    }
}

extension InAppVariant {
    /// What a content says itself; its buttons have their texts with them.
    init(_ content: InAppContent) {
        self.init(
            title: content.title, body: content.body, imageUrl: content.imageUrl, imageAlt: content.imageAlt,
            html: content.html
        )
    }
}
