import BelfryModel
import BelfryPush
import BelfryRules
import Foundation

/// What a campaign must be before it is saved: complete, within the push services' limits, nothing ignored. Every fault
/// is found, not the first alone (ADM-3).
struct CampaignCheck {
    static let maximumNameLength = 200

    let draft: CampaignDraft
    /// The attributes that templates may name.
    let schema: [String: AttributeType]
    /// In which messages may be kept.
    let centers: [MessageCenter]
    /// Whether in-app messages may carry script of the marketer's (IAM-12).
    var allowsInAppScripts = false
    var faults: [FieldRefusal] = []

    /// The draft as it is saved; refused with all its faults.
    ///
    /// - Parameters:
    ///   - schema: the app's attributes and their types.
    ///   - centers: the app's.
    ///   - allowsInAppScripts: the app's setting.
    static func checked(
        _ draft: CampaignDraft, schema: [String: AttributeType], centers: [MessageCenter],
        allowsInAppScripts: Bool = false
    ) throws(ServiceError) -> CampaignDraft {
        var draft = draft
        draft.name = draft.name.trimmingCharacters(in: .whitespacesAndNewlines)
        // A silent push needs no word of its own.
        if draft.kind == .silent, draft.push == nil { draft.push = PushContent(title: "", body: "") }
        // Nor does a message beside a push.
        if draft.kind == .pushAndMessageCenter, draft.messageCenter == nil {
            draft.messageCenter = MessageCenterContent()
        }
        var check = CampaignCheck(
            draft: draft, schema: schema, centers: centers, allowsInAppScripts: allowsInAppScripts
        )
        check.check()
        try ServiceError.refuse(check.faults)
        return draft
    }

    private mutating func check() {
        require(
            draft.name.isNamed(within: Self.maximumNameLength), "name", "invalidLength",
            "A name has 1 to \(Self.maximumNameLength) characters, and no null character."
        )
        switch (draft.kind, draft.push) {
        case (.push, let push?), (.pushAndMessageCenter, let push?): check(push)
        case (.silent, let push?): checkSilent(push)
        case (.push, nil), (.pushAndMessageCenter, nil), (.silent, nil):
            refuse(
                "push", "missing", "A campaign of kind '\(draft.kind.rawValue)' needs its content under 'push'."
            )
        case (.messageCenter, nil): break
        case (.messageCenter, _):
            refuse(
                "push", "notPushed",
                "A campaign of kind 'messageCenter' sends no notification; 'pushAndMessageCenter' does."
            )
        case (.inApp, _): break
        }
        checkInApp()
        checkMessageCenter()
        if !draft.kind.isInApp, let schedule = draft.schedule { check(schedule) }
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
