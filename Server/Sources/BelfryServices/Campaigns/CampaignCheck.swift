import BelfryModel
import BelfryPush
import BelfryRules
import Foundation

/// What a campaign must be before it is saved: complete, within the push services' limits, nothing ignored. Every fault
/// is found, not the first alone (ADM-3).
struct CampaignCheck {
    static let maximumNameLength = 200

    /// The attributes that templates may name.
    let schema: [String: AttributeType]
    var faults: [FieldRefusal] = []

    /// The draft as it is saved; refused with all its faults.
    ///
    /// - Parameter schema: the app's attributes and their types.
    static func checked(
        _ draft: CampaignDraft, schema: [String: AttributeType]
    ) throws(ServiceError) -> CampaignDraft {
        var draft = draft
        draft.name = draft.name.trimmingCharacters(in: .whitespacesAndNewlines)
        // A silent push needs no word of its own.
        if draft.kind == .silent, draft.push == nil { draft.push = PushContent(title: "", body: "") }
        var check = CampaignCheck(schema: schema)
        check.check(draft)
        try ServiceError.refuse(check.faults)
        return draft
    }

    private mutating func check(_ draft: CampaignDraft) {
        require(
            draft.name.isNamed(within: Self.maximumNameLength), "name", "invalidLength",
            "A name has 1 to \(Self.maximumNameLength) characters, and no null character."
        )
        switch (draft.kind, draft.push) {
        case (.push, let push?): check(push)
        case (.silent, let push?): checkSilent(push)
        case (.push, nil), (.silent, nil):
            refuse("push", "missing", "A campaign of kind 'push' needs its content under 'push'.")
        case (.pushAndMessageCenter, _), (.messageCenter, _), (.inApp, _):
            refuse(
                "kind", "unsupportedKind",
                "This version sends campaigns of kind 'push' and 'silent', not '\(draft.kind.rawValue)'."
            )
        }
        if let schedule = draft.schedule { check(schedule) }
    }

    // MARK: Faults

    mutating func refuse(_ field: String, _ code: String, _ message: String) {
        refuse(field, Refusal(code: code, message: message))
    }

    mutating func refuse(_ field: String, _ refusal: Refusal) {
        faults.append(FieldRefusal(field: field, refusal: refusal))
    }

    mutating func require(_ condition: Bool, _ field: String, _ code: String, _ message: String) {
        if !condition { refuse(field, code, message) }
    }
}
