import BelfryModel
import BelfryPush
import BelfryServerModel

/// Checks the content of a push (CAMP-6, PUSH-7, PUSH-9). Its texts are compiled by ``PushTemplateCheck``.
package struct PushContentCheck {
    package static let priorities = [1, 5, 10]
    package static let relevanceScores = 0.0...1.0
    package static let maximumTTL = 28 * 86_400
    package static let maximumCollapseIDBytes = 64
    package static let maximumAnalyticsLabelLength = 50
    package static let maximumButtons = 4
    static let tooManyButtons = "A notification has at most \(maximumButtons) buttons."
    /// The most bytes of a word that only the app or the push service reads: a sound, a category, a button's id.
    package static let maximumWordBytes = 200

    let push: PushContent

    static func isTooMany(_ buttons: [NotificationButton]?) -> Bool { (buttons?.count ?? 0) > maximumButtons }

    /// Checks a notification (CAMP-6).
    func checkNotification(_ richMessages: RichMessageRule, _ errors: inout FieldErrors) {
        errors.require(!push.title.showsNothing, "push.title", "blank", "A title cannot be blank.")
        errors.require(!push.body.showsNothing, "push.body", "blank", "A body cannot be blank.")
        errors.require(
            Self.priorities.contains(push.priority ?? 10), "push.priority", "outOfRange", "A priority is 1, 5 or 10."
        )
        errors.require(
            Self.relevanceScores.contains(push.relevanceScore ?? 0), "push.relevanceScore", "outOfRange",
            "A relevance score is 0 to 1."
        )
        checkEnvelope(&errors)
        errors.require(
            push.browsers == nil, "push.browsers", "notShown",
            "A notification goes to browsers anyway; only a silent push has 'browsers'."
        )
        errors.requireWord(push.sound, "push.sound", "A sound")
        errors.requireWord(push.category, "push.category", "A category")
        errors.requireWord(push.threadId, "push.threadId", "A thread id")
        errors.requireWord(push.targetContentId, "push.targetContentId", "A target content id")
        errors.requireWord(push.filterCriteria, "push.filterCriteria", "A filter criterion")
        errors.requireWord(push.androidChannel, "push.androidChannel", "A channel")
        BadgeCheck(badge: push.badge, field: "push.badge").check(&errors)
        checkAction(push.action, "push.action", opensMessage: richMessages.isKept(for: nil), &errors)
        checkButtons(push.buttons ?? [], "push.buttons", &errors)
        VariantsCheck(field: "push.variants").check(push.variants, &errors) { key, variant, field, errors in
            errors.require(variant.title?.showsNothing != true, "\(field).title", "blank", "A title cannot be blank.")
            errors.require(variant.body?.showsNothing != true, "\(field).body", "blank", "A body cannot be blank.")
            checkAction(variant.action, "\(field).action", opensMessage: richMessages.isKept(for: key), &errors)
            checkButtons(variant.buttons ?? [], "\(field).buttons", &errors)
        }
    }

    /// Checks a silent push. Content that people would see is an error and is not ignored (PUSH-7).
    func checkSilent(_ errors: inout FieldErrors) {
        let shown = [String](said: [
            "title": push.title.isEmpty ? nil : push.title, "subtitle": push.subtitle,
            "body": push.body.isEmpty ? nil : push.body, "imageUrl": push.imageUrl, "sound": push.sound,
            "action": push.action, "buttons": push.buttons, "category": push.category, "threadId": push.threadId,
            "interruptionLevel": push.interruptionLevel, "relevanceScore": push.relevanceScore,
            "targetContentId": push.targetContentId, "filterCriteria": push.filterCriteria,
            "androidChannel": push.androidChannel, "androidVisibility": push.androidVisibility, "badge": push.badge,
            "variants": push.variants,
        ])
        for name in shown {
            errors.reject("push.\(name)", "notSilent", "A silent push shows nothing; it has no '\(name)'.")
        }
        errors.require(
            [1, 5].contains(push.priority ?? 5), "push.priority", "outOfRange", "A silent push has priority 1 or 5."
        )
        checkEnvelope(&errors)
    }

    /// Checks what notifications and silent pushes have in common.
    private func checkEnvelope(_ errors: inout FieldErrors) {
        errors.require(
            (push.collapseId?.utf8.count ?? 1) <= Self.maximumCollapseIDBytes && push.collapseId?.isEmpty != true
                && push.collapseId.map(TextPlaceholder.isUsed) != true,
            "push.collapseId", "invalidLength", "A collapse id has 1 to \(Self.maximumCollapseIDBytes) bytes."
        )
        errors.require(push.ttlSeconds ?? 0, in: 0...Self.maximumTTL, "push.ttlSeconds") {
            "A time to live is \($0) seconds."
        }
        errors.require(
            push.analyticsLabel.map(Self.isAnalyticsLabel) != false, "push.analyticsLabel", "invalidLabel",
            """
            An analytics label has 1 to \(Self.maximumAnalyticsLabelLength) letters of A to Z and a to z, digits, or \
            any of '-_.~%'.
            """
        )
        for key in (push.custom ?? [:]).keys.sorted() {
            let field = "push.custom.\(key.prefix(64))"
            errors.require(
                !APNsPayloadTemplate.reservedKeys.contains(key) && !FCMPayloadTemplate.isReserved(key), field,
                "reservedKey", "'\(key.prefix(64))' is a key that push services reserve."
            )
            errors.require(
                !TextPlaceholder.isUsed(in: key), field, "invalidCharacter", "A key cannot contain noncharacters."
            )
        }
        DefaultsCheck(defaults: push.defaults, field: "push.defaults").check(&errors)
    }

    /// Whether FCM accepts this label; it would reject a message with another label as a whole.
    ///
    /// Source: Google, "REST Resource: projects.messages", `FcmOptions`.
    private static func isAnalyticsLabel(_ text: String) -> Bool {
        (1...maximumAnalyticsLabelLength).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_.~%".utf8.contains($0) }
    }

    /// - Parameter opensMessage: whether the message center message has rich content that the action can open.
    private func checkAction(
        _ action: NotificationAction?, _ field: String, opensMessage: Bool = false, _ errors: inout FieldErrors
    ) {
        guard let action, action.url == nil else { return }
        let need: String? =
            switch action.type {
            case .launchApp: nil
            case .openUrl: "a deep link or web address with a scheme"
            case .openRichMessage: opensMessage ? nil : "the https address of a page"
            }
        guard let need else { return }
        errors.reject("\(field).url", "missing", "The action '\(action.type.rawValue)' needs \(need).")
    }

    private func checkButtons(_ buttons: [NotificationButton], _ field: String, _ errors: inout FieldErrors) {
        guard !Self.isTooMany(buttons) else {
            return errors.reject(field, "tooMany", Self.tooManyButtons)
        }
        var ids: Set<String> = []
        for (index, button) in buttons.enumerated() {
            let place = "\(field)[\(index)]"
            errors.require(!button.id.showsNothing, "\(place).id", "blank", "A button needs an id.")
            if !button.id.showsNothing { errors.requireWord(button.id, "\(place).id", "A button's id") }
            errors.require(ids.insert(button.id).inserted, "\(place).id", "duplicate", "Two buttons have the same id.")
            errors.require(!button.text.showsNothing, "\(place).text", "blank", "A button needs a text.")
            checkAction(button.action, "\(place).action", &errors)
        }
    }
}

extension FieldErrors {
    fileprivate mutating func requireWord(_ word: String?, _ field: String, _ what: String) {
        guard let word else { return }
        let limit = PushContentCheck.maximumWordBytes
        require(
            (1...limit).contains(word.utf8.count) && !TextPlaceholder.isUsed(in: word), field, "invalidLength",
            "\(what) has 1 to \(limit) bytes."
        )
    }
}
