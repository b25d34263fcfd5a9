import BelfryModel
import BelfryServerModel
import BelfryServices

/// A campaign in its form: the fields as they were typed, even if they do not make a valid draft yet.
struct ComposeForm: Hashable, Sendable {
    /// The kind of campaign that the form is for. A field of a push's form can also keep the push in a message center.
    let kind: CampaignKind
    let fields: FormFields

    /// Takes the fields as they were typed.
    init(_ fields: FormFields, kind: CampaignKind) {
        self.kind = kind
        self.fields = fields
    }

    /// Shows a draft.
    init(_ draft: CampaignDraft, _ basis: ComposeBasis) {
        kind = draft.kind
        var values: ComposePart.Values = [:]
        for part in Self.parts(of: draft.kind) { values.merge(part.show(draft, basis)) { first, _ in first } }
        fields = FormFields(values)
    }

    /// The draft with which a new campaign's form begins.
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

    /// Makes a draft over another one. Values that were not changed in the form stay as they were.
    ///
    /// - Throws: what is wrong, by field.
    func draft(over base: CampaignDraft?, _ basis: ComposeBasis) throws(FormProblems) -> CampaignDraft {
        var problems = FormProblems()
        let draft = self.draft(over: base, basis, &problems)
        try problems.reject()
        return draft
    }

    /// Makes a draft as far as the form can be read, for previews.
    func draft(
        over base: CampaignDraft?, _ basis: ComposeBasis, _ problems: inout FormProblems
    ) -> CampaignDraft {
        let base = base ?? Self.empty(kind)
        var draft = base
        for part in Self.parts(of: base.kind) { part.apply(fields, to: &draft, over: base, basis, &problems) }
        if draft.kind == .push { CenterParts.rejectUnkept(fields, over: base, basis, &problems) }
        if !draft.kind.keepsMessage { draft.messageCenter = nil }
        return draft
    }

    /// The errors of the services, each at its field; nil for an error that belongs to no form.
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
        // The services only know the size of the whole draft. The form marks its longest field, where shortening helps
        // most.
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

    /// The field of a push with the most text.
    private var longestPart: String? {
        ["title", "subtitle", "body", "custom", "link", "image"].filter { !fields[$0].showsNothing }
            .max { fields[$0].utf8.count < fields[$1].utf8.count }
    }

    /// The form's words for an error in a key or type that only the API has.
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
