import BelfryModel
import BelfryPush
import Foundation

/// What a campaign must be before it is saved: complete, within the push services' limits, nothing ignored.
enum CampaignCheck {
    static let maximumNameLength = 200
    static let maximumTTL = 28 * 86_400
    static let maximumCollapseIDBytes = 64
    static let maximumButtons = 4

    static func checked(_ draft: CampaignDraft) throws(ServiceError) -> CampaignDraft {
        var draft = draft
        draft.name = draft.name.trimmingCharacters(in: .whitespacesAndNewlines)
        guard draft.name.isNamed(within: maximumNameLength) else {
            throw .invalid(
                "name", "invalidLength", "A name has 1 to \(maximumNameLength) characters, and no null character."
            )
        }
        guard draft.kind == .push else {
            throw .invalid(
                "kind", "unsupportedKind", "This version sends campaigns of kind 'push', not '\(draft.kind.rawValue)'."
            )
        }
        guard let push = draft.push else {
            throw .invalid("push", "missing", "A campaign of kind 'push' needs its content under 'push'.")
        }
        try check(push)
        return draft
    }

    private static func check(_ push: PushContent) throws(ServiceError) {
        try require(!push.title.isBlank, "push.title", "blank", "A title cannot be blank.")
        try require(!push.body.isBlank, "push.body", "blank", "A body cannot be blank.")
        try require(
            (push.collapseId?.utf8.count ?? 1) <= maximumCollapseIDBytes && push.collapseId?.isEmpty != true,
            "push.collapseId", "invalidLength", "A collapse id has 1 to \(maximumCollapseIDBytes) bytes."
        )
        try require(
            (0...maximumTTL).contains(push.ttlSeconds ?? 0), "push.ttlSeconds", "outOfRange",
            "A time to live is 0 to \(maximumTTL) seconds."
        )
        try require(
            [1, 5, 10].contains(push.priority ?? 10), "push.priority", "outOfRange", "A priority is 1, 5 or 10."
        )
        for key in APNsPayloadTemplate.reservedKeys.sorted() where push.custom?[key] != nil {
            throw .invalid("push.custom.\(key)", "reservedKey", "'\(key)' is the payload's own key.")
        }
        try require(
            (push.buttons ?? []).count <= maximumButtons, "push.buttons", "tooMany",
            "A notification has at most \(maximumButtons) buttons."
        )
        try require(
            push.imageUrl.map(isWebAddress) ?? true, "push.imageUrl", "invalidURL", "An image has an https URL.")
        try check(push.action, field: "push.action")
        for (index, button) in (push.buttons ?? []).enumerated() {
            try require(!button.id.isBlank, "push.buttons[\(index)].id", "blank", "A button needs an id.")
            try require(!button.text.isBlank, "push.buttons[\(index)].text", "blank", "A button needs a text.")
            try check(button.action, field: "push.buttons[\(index)].action")
        }
        try checkSize(push)
    }

    private static func check(_ action: NotificationAction?, field: String) throws(ServiceError) {
        guard let action else { return }
        switch action.type {
        case .launchApp:
            return
        case .openUrl:
            try require(
                action.url.flatMap { URL(string: $0)?.scheme } != nil, "\(field).url", "missing",
                "The action 'openUrl' needs a deep link or web address with a scheme."
            )
        case .openRichMessage:
            throw .invalid(
                "\(field).type", "unsupportedAction", "This version has the actions 'launchApp' and 'openUrl'."
            )
        }
    }

    private static func checkSize(_ push: PushContent) throws(ServiceError) {
        // The longest number a campaign can have, so that what fits now fits then.
        guard let longest = CampaignID(CampaignID.maximum) else { return }
        do {
            let size = try APNsPayloadTemplate(content: push, campaign: longest).size
            try require(
                size <= APNsPayloadTemplate.maximumBytes, "push", "payloadTooLarge",
                "The notification has \(size) bytes; APNs takes at most \(APNsPayloadTemplate.maximumBytes)."
            )
        } catch let fault as APNsRequestFault {
            throw .invalid("push", "notEncodable", "The notification cannot be written as JSON (\(fault)).")
        } catch let error as ServiceError {
            throw error
        } catch {
            throw .invalid("push", "notEncodable", "The notification cannot be written as JSON.")
        }
    }

    private static func isWebAddress(_ text: String) -> Bool {
        guard let url = URL(string: text) else { return false }
        return url.scheme?.lowercased() == "https" && url.host != nil
    }

    private static func require(
        _ condition: Bool, _ field: String, _ code: String, _ message: String
    ) throws(ServiceError) {
        guard condition else { throw .invalid(field, code, message) }
    }
}

extension String {
    fileprivate var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
