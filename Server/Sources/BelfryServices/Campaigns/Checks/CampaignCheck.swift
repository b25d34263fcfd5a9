import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

/// Checks that a campaign can be saved: it is complete, within the push services' limits, and has nothing that would be
/// ignored. All errors are reported, not only the first (ADM-3).
///
/// If a list has too many entries, that is the only error about it and its entries are not checked: a body of one
/// megabyte could name ten thousand things ten thousand times (SEC-8).
package struct CampaignCheck {
    package static let maximumNameLength = 200

    private let draft: CampaignDraft
    /// The draft without excess entries; templates are compiled from it.
    private let bounded: CampaignDraft
    /// The message center messages of the bounded draft.
    private let kept: KeptMessages
    private let richMessages: RichMessageRule
    private let centers: [MessageCenter]
    private let allowsInAppScripts: Bool
    private let texts: TextCompiler

    private init(_ draft: CampaignDraft, centers: [MessageCenter], allowsInAppScripts: Bool, texts: TextCompiler) {
        self.draft = draft
        bounded = draft.bounded
        kept = KeptMessages(bounded)
        richMessages = RichMessageRule(draft, bounded: bounded, kept: kept)
        self.centers = centers
        self.allowsInAppScripts = allowsInAppScripts
        self.texts = texts
    }

    /// The draft as it is to be saved; throws all its errors.
    ///
    /// The time grows with the draft, so no transaction that writes waits for it: ``CampaignCheckResult``.
    ///
    /// - Parameters:
    ///   - centers: the app's message centers.
    ///   - allowsInAppScripts: the app's setting.
    ///   - texts: compiles with the app's attributes.
    static func checked(
        _ draft: CampaignDraft, centers: [MessageCenter], allowsInAppScripts: Bool = false, texts: TextCompiler
    ) throws(ServiceError) -> CampaignDraft {
        var draft = draft
        draft.name = draft.name.trimmingCharacters(in: .whitespacesAndNewlines)
        // A silent push may have no content of its own.
        if draft.kind == .silent, draft.push == nil { draft.push = PushContent(title: "", body: "") }
        // A message center message may take its content from the push beside it.
        if draft.kind == .pushAndMessageCenter, draft.messageCenter == nil {
            draft.messageCenter = MessageCenterContent()
        }
        let check = CampaignCheck(draft, centers: centers, allowsInAppScripts: allowsInAppScripts, texts: texts)
        var errors = FieldErrors()
        check.check(&errors)
        try ServiceError.reject(errors.all)
        return draft
    }

    /// Checks that the draft has what its kind requires, and nothing that its kind would ignore (CAMP-1).
    private func check(_ errors: inout FieldErrors) {
        errors.require(
            draft.name.isNamed(within: Self.maximumNameLength), "name", "invalidLength",
            "A name has 1 to \(Self.maximumNameLength) characters, and no null character."
        )
        checkPush(&errors)
        checkInApp(&errors)
        checkMessageCenter(&errors)
        if !draft.kind.isInApp, let schedule = draft.schedule { ScheduleCheck(schedule: schedule).check(&errors) }
    }

    /// Checks the content that is pushed.
    private func checkPush(_ errors: inout FieldErrors) {
        switch (draft.kind, draft.push) {
        case (.push, let push?), (.pushAndMessageCenter, let push?):
            PushContentCheck(push: push).checkNotification(richMessages, &errors)
            templates(of: push).checkNotification(&errors)
        case (.silent, let push?):
            PushContentCheck(push: push).checkSilent(&errors)
            templates(of: push).checkSilent(&errors)
        case (.push, nil), (.pushAndMessageCenter, nil), (.silent, nil):
            errors.reject(
                "push", "missing", "A campaign of kind '\(draft.kind.rawValue)' needs its content under 'push'."
            )
        case (.messageCenter, nil), (.inApp, nil): break
        case (.messageCenter, _):
            errors.reject(
                "push", "notPushed",
                "A campaign of kind 'messageCenter' sends no notification; 'pushAndMessageCenter' does."
            )
        case (.inApp, _):
            errors.reject(
                "push", "notPushed",
                "A campaign of kind 'inApp' sends no notification; a silent push tells devices to download the message."
            )
        }
    }

    private func templates(of push: PushContent) -> PushTemplateCheck {
        PushTemplateCheck(push: bounded.push ?? push, extras: PushExtras(draft), texts: texts)
    }

    /// Checks the in-app message (IAM-1, IAM-12).
    private func checkInApp(_ errors: inout FieldErrors) {
        guard draft.kind.isInApp else {
            return errors.require(
                draft.inApp == nil, "inApp", "notInApp",
                "A campaign of kind '\(draft.kind.rawValue)' has no in-app message; 'inApp' does."
            )
        }
        if let schedule = draft.schedule { ScheduleCheck(schedule: schedule).checkInApp(&errors) }
        guard let message = draft.inApp else {
            return errors.reject("inApp", "missing", "A campaign of kind 'inApp' needs its message under 'inApp'.")
        }
        InAppCheck(message: message, start: draft.schedule?.at).check(&errors)
        InAppTemplateCheck(message: bounded.inApp ?? message, allowsScripts: allowsInAppScripts, texts: texts)
            .check(&errors)
    }

    /// Checks the message center message (MC-3, MC-8).
    private func checkMessageCenter(_ errors: inout FieldErrors) {
        guard draft.kind.keepsMessage else {
            return errors.require(
                draft.messageCenter == nil, "messageCenter", "notKept",
                "A campaign of kind '\(draft.kind.rawValue)' keeps no message in a center; 'pushAndMessageCenter' does."
            )
        }
        guard let content = draft.messageCenter else {
            return errors.reject(
                "messageCenter", "missing",
                "A campaign of kind 'messageCenter' needs its content under 'messageCenter'."
            )
        }
        MessageCenterCheck(content: content, push: draft.push, start: draft.schedule?.earliestStart, centers: centers)
            .check(richMessages, &errors)
        MessageCenterTemplateCheck(content: bounded.messageCenter ?? content, kept: kept, texts: texts).check(&errors)
    }
}
