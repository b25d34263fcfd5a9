import BelfryModel
import BelfryPush
import BelfryRules
import Foundation

extension CampaignCheck {
    static let maximumTTL = 28 * 86_400
    static let maximumCollapseIDBytes = 64
    static let maximumButtons = 4
    /// Bytes of a word that only the app or the push service reads: a sound, a category, a button's id.
    static let maximumWordBytes = 200
    static let maximumVariants = 100
    static let maximumDefaults = 100
    /// Characters of a default.
    static let maximumDefaultLength = 1_000

    /// A notification (CAMP-6).
    mutating func check(_ push: PushContent) {
        require(!push.title.showsNothing, "push.title", "blank", "A title cannot be blank.")
        require(!push.body.showsNothing, "push.body", "blank", "A body cannot be blank.")
        require(
            [1, 5, 10].contains(push.priority ?? 10), "push.priority", "outOfRange", "A priority is 1, 5 or 10."
        )
        checkEnvelope(push)
        checkWord(push.sound, "push.sound", "A sound")
        checkWord(push.category, "push.category", "A category")
        checkWord(push.threadId, "push.threadId", "A thread id")
        checkWord(push.androidChannel, "push.androidChannel", "A channel")
        check(push.badge, "push.badge")
        check(push.action, "push.action", opensMessage: keepsRichContent(for: nil))
        check(push.buttons, "push.buttons")
        checkTemplates(push)
    }

    /// A silent push says nothing to people: what would, is refused and not left out (PUSH-7).
    mutating func checkSilent(_ push: PushContent) {
        let fields: [(name: String, isSaid: Bool)] = [
            ("title", !push.title.isEmpty), ("subtitle", push.subtitle != nil), ("body", !push.body.isEmpty),
            ("imageUrl", push.imageUrl != nil), ("sound", push.sound != nil), ("action", push.action != nil),
            ("buttons", push.buttons != nil), ("category", push.category != nil), ("threadId", push.threadId != nil),
            ("interruptionLevel", push.interruptionLevel != nil), ("androidChannel", push.androidChannel != nil),
            ("badge", push.badge != nil), ("variants", push.variants != nil),
        ]
        for field in fields where field.isSaid {
            refuse("push.\(field.name)", "notSilent", "A silent push shows nothing; it has no '\(field.name)'.")
        }
        require(
            [1, 5].contains(push.priority ?? 5), "push.priority", "outOfRange", "A silent push has priority 1 or 5."
        )
        checkEnvelope(push)
        guard faults.isEmpty, let template = compile(push, variant: nil) else { return }
        checkSize(template.shortest, style: .silent, field: "push")
    }

    /// What notifications and silent pushes have in common.
    private mutating func checkEnvelope(_ push: PushContent) {
        require(
            (push.collapseId?.utf8.count ?? 1) <= Self.maximumCollapseIDBytes && push.collapseId?.isEmpty != true
                && push.collapseId.map(TextGap.isUsed) != true,
            "push.collapseId", "invalidLength", "A collapse id has 1 to \(Self.maximumCollapseIDBytes) bytes."
        )
        require(
            (0...Self.maximumTTL).contains(push.ttlSeconds ?? 0), "push.ttlSeconds", "outOfRange",
            "A time to live is 0 to \(Self.maximumTTL) seconds."
        )
        for key in (push.custom ?? [:]).keys.sorted() {
            let field = "push.custom.\(key.prefix(64))"
            require(
                !APNsPayloadTemplate.reservedKeys.contains(key) && !FCMPayloadTemplate.isReserved(key), field,
                "reservedKey", "'\(key.prefix(64))' is a key of the push services' own."
            )
            require(!TextGap.isUsed(in: key), field, "invalidCharacter", "A key cannot hold noncharacters.")
        }
        checkDefaults(push.defaults ?? [:], "push.defaults")
    }

    mutating func checkDefaults(_ defaults: [String: String], _ field: String) {
        require(
            defaults.count <= Self.maximumDefaults, field, "tooMany",
            "A content has at most \(Self.maximumDefaults) defaults."
        )
        for (name, text) in defaults.sorted(by: { $0.key < $1.key }) {
            require(
                text.count <= Self.maximumDefaultLength, "\(field).\(name.prefix(64))", "tooLong",
                "A default has at most \(Self.maximumDefaultLength) characters."
            )
        }
    }

    private mutating func checkWord(_ text: String?, _ field: String, _ what: String) {
        guard let text else { return }
        require(
            (1...Self.maximumWordBytes).contains(text.utf8.count) && !TextGap.isUsed(in: text), field, "invalidLength",
            "\(what) has 1 to \(Self.maximumWordBytes) bytes."
        )
    }

    /// - Parameter opensMessage: whether the message in the centre has the rich content that is to be opened.
    mutating func check(_ action: NotificationAction?, _ field: String, opensMessage: Bool = false) {
        guard let action, action.type != .launchApp, action.url == nil else { return }
        if action.type == .openRichMessage, opensMessage { return }
        refuse(
            "\(field).url", "missing",
            action.type == .openUrl
                ? "The action 'openUrl' needs a deep link or web address with a scheme."
                : "The action 'openRichMessage' needs the https address of a page."
        )
    }

    mutating func check(_ buttons: [NotificationButton]?, _ field: String) {
        let buttons = buttons ?? []
        require(
            buttons.count <= Self.maximumButtons, field, "tooMany",
            "A notification has at most \(Self.maximumButtons) buttons."
        )
        var ids: Set<String> = []
        for (index, button) in buttons.enumerated() {
            let place = "\(field)[\(index)]"
            require(!button.id.showsNothing, "\(place).id", "blank", "A button needs an id.")
            if !button.id.showsNothing { checkWord(button.id, "\(place).id", "A button's id") }
            require(ids.insert(button.id).inserted, "\(place).id", "duplicate", "Two buttons have the same id.")
            require(!button.text.showsNothing, "\(place).text", "blank", "A button needs a text.")
            check(button.action, "\(place).action")
        }
    }
}
