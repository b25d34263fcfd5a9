import BelfryModel
import BelfryServerModel
import BelfryServices

/// A campaign as its form has it: fields as they were typed, also those that are no draft yet.
struct ComposeForm: Hashable, Sendable {
    /// Which form it is. A push may be kept in a message center by a field of the form.
    let kind: CampaignKind
    let fields: FormFields

    /// What was typed.
    init(_ fields: FormFields, kind: CampaignKind) {
        self.kind = kind
        self.fields = fields
    }

    /// What the form shows of a draft.
    init(_ draft: CampaignDraft, _ basis: ComposeBasis) {
        kind = draft.kind
        var values: ComposePart.Values = [:]
        for part in Self.parts(of: draft.kind) { values.merge(part.show(draft, basis)) { first, _ in first } }
        fields = FormFields(values)
    }

    /// What a form begins with.
    static func empty(_ kind: CampaignKind) -> CampaignDraft {
        var draft = CampaignDraft(name: "", kind: kind, audience: .everyone)
        switch kind {
        case .push, .silent: draft.push = PushContent(title: "", body: "")
        case .pushAndMessageCenter:
            draft.push = PushContent(title: "", body: "")
            draft.messageCenter = MessageCenterContent()
        case .messageCenter: draft.messageCenter = MessageCenterContent()
        case .inApp:
            draft.inApp = InAppDraft(
                type: .modal, trigger: InAppTrigger(event: InAppParts.standardTrigger), content: InAppContent()
            )
        }
        return draft
    }

    /// The draft that it makes of another, or what is wrong with each field. What was not changed in the form stays as
    /// it was.
    func draft(over base: CampaignDraft?, _ basis: ComposeBasis) throws(FormProblems) -> CampaignDraft {
        var problems = FormProblems()
        let draft = self.draft(over: base, basis, &problems)
        try problems.refuse()
        return draft
    }

    /// The same as far as it can be read: for previews.
    func draft(
        over base: CampaignDraft?, _ basis: ComposeBasis, _ problems: inout FormProblems
    ) -> CampaignDraft {
        let base = base ?? Self.empty(kind)
        var draft = base
        for part in Self.parts(of: base.kind) { part.apply(fields, to: &draft, over: base, basis, &problems) }
        if draft.kind == .push { CenterParts.refuseUnkept(fields, over: base, basis, &problems) }
        if !draft.kind.keepsMessage { draft.messageCenter = nil }
        return draft
    }

    /// What the services refuse, each at the field that it is about. Nil for what is no matter of a form.
    func problems(_ error: any Error) -> FormProblems? {
        var problems = FormProblems(
            error, words: Self.words,
            place: { name in
                for part in Self.parts(of: kind) {
                    if let field = part.place(name, fields) { return field }
                }
                return nil
            }
        )
        // The services know the size of the whole; the field in which shortening helps most is the form's to say.
        if Self.isTooLarge(error), let longestPart {
            problems?.add(longestPart, "This is the longest part of the notification. Shorten it.")
        }
        return problems
    }

    private static func isTooLarge(_ error: any Error) -> Bool {
        func isOfWhole(_ field: String, _ error: ValueError) -> Bool {
            field == "push" && error.code == "payloadTooLarge"
        }
        switch error as? ServiceError {
        case .invalid(let field, let error)?: return isOfWhole(field, error)
        case .invalidFields(let first, let rest)?:
            return ([first] + rest).contains { isOfWhole($0.field, $0.error) }
        default: return false
        }
    }

    /// The field of a push in which most is written.
    private var longestPart: String? {
        ["title", "subtitle", "body", "custom", "link", "image"].filter { !fields[$0].showsNothing }
            .max { fields[$0].utf8.count < fields[$1].utf8.count }
    }

    /// What the services say of keys and types of the API, in the words of the form.
    private static func words(_ name: String, _ code: String) -> String? {
        switch (name, code) {
        case ("name", "invalidLength"): "Give it a name of 1 to \(CampaignCheck.maximumNameLength) characters."
        case ("inApp.trigger", "missing"): "Name the event that makes it appear, such as session:start."
        case ("inApp.viewId", "notInline"): "Only a message inside a page of the app has a place. Leave it empty."
        case (_, "notTogether"): "A message that looks like this does not use it. Leave it empty."
        case (_, "blank"): "Write something here."
        default: nil
        }
    }

    static func parts(of kind: CampaignKind) -> [ComposePart] {
        let common = [named, AudienceForm.part]
        switch kind {
        case .push, .pushAndMessageCenter:
            return common + [CenterParts.keep] + PushParts.all + CenterParts.all + ScheduleParts.all
        case .messageCenter: return common + CenterParts.all + [CenterParts.badge] + ScheduleParts.all
        case .silent: return common + PushParts.silent + ScheduleParts.all
        case .inApp: return common + InAppParts.all + [ScheduleParts.start]
        }
    }

    private static let named = ComposePart(["name"], api: [("name", "name")]) { draft, _ in
        ["name": [draft.name]]
    } write: { fields, draft, _, _ in
        draft.name = fields["name"]
    }
}
