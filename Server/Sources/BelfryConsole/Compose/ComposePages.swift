import BelfryModel
import BelfryServerModel
import BelfryServices
import Hummingbird

/// The pages on which campaigns are composed and drafts are edited (CON-5).
enum ComposePages {
    static let routes: [ConsoleRoute] = [
        .get("/apps/{app}/campaigns/new", .app(.compose), new),
        .post("/apps/{app}/campaigns/new", .app(.compose), audit: nil, create).keepingForm,
        .post("/apps/{app}/campaigns/preview", .app(.compose), audit: nil, ComposePreviewPages.preview),
        .post("/apps/{app}/campaigns/preview/page", .app(.compose), audit: nil, ComposePreviewPages.page),
        .get("/apps/{app}/campaigns/{id}/edit", .app(.compose), edit),
        .post("/apps/{app}/campaigns/{id}/edit", .app(.compose), audit: "campaign.update", save).keepingForm,
    ]

    private static func new(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let desk = try await ComposeDesk(call)
        let kind = CampaignKind(rawValue: call.query["kind"]) ?? .push
        return .page(desk.page(ComposeForm(ComposeForm.empty(kind), desk.basis)))
    }

    private static func create(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let desk = try await ComposeDesk(call)
        let form = ComposeForm(call.form, kind: CampaignKind(rawValue: call.form["kind"]) ?? .push)
        do {
            let draft = try form.draft(over: nil, desk.basis)
            try desk.requireZone()
            switch try await submit(draft, call, desk) {
            case .made(let id):
                return saved(id, "The draft was saved. Look at it, try it, launch it.\(desk.zoneRemark)", call)
            case .repeated(let id):
                return saved(id, "The draft was saved. The form was submitted twice, and made one draft.", call)
            case .changed(let id):
                let another = try await ComposeDesk(call, key: ComposeDesk.newKey(call))
                let alert = ComposeAlert.sentAlready(page: call.link("/campaigns/\(id)"))
                return .pageWithStatus(another.page(form, alert: alert), .conflict)
            }
        } catch {
            return try desk.rejected(form, error)
        }
    }

    /// Creates the draft, once for each form that was shown.
    private static func submit(
        _ draft: CampaignDraft, _ call: ConsoleCall, _ desk: ComposeDesk
    ) async throws -> CampaignDrafts.Submission {
        let (drafts, principal) = (call.services.campaigns.drafts, try call.principal())
        let action = "campaign.create"
        guard let key = try call.formKey(audit: action) else {
            let id = try await call.auditing(action) {
                try await drafts.create(draft, by: principal.author, app: desk.app).id
            } naming: { id in
                id.description
            }
            return .made(id)
        }
        return try await drafts.create(draft, once: key, by: principal.author, app: desk.app)
    }

    private static func saved(_ id: CampaignID, _ sentence: String, _ call: ConsoleCall) -> ConsoleResponse {
        .redirect(call.link("/campaigns/\(id)"), notice: .done(sentence))
    }

    private static func edit(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let edited = try await edited(call)
        let desk = try await ComposeDesk(call, editing: edited, from: try DraftVersion(edited.draft))
        return .page(desk.page(ComposeForm(edited.draft, desk.basis)))
    }

    private static func save(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let edited = try await edited(call)
        let (began, present) = (DraftVersion(text: call.form["version"]), try DraftVersion(edited.draft))
        let base =
            try await began == present ? edited.draft : beginning(of: edited.campaign.id, at: began, call)
        let desk = try await ComposeDesk(call, editing: edited, from: present)
        let form = ComposeForm(call.form, kind: edited.draft.kind).choosing(from: base ?? edited.draft, desk.basis)
        guard began == present else {
            // The merged form would show the times in another zone than the one in which they were typed.
            guard desk.isZoneKnown else { throw ConsoleError.unreadableForm }
            if let base, try isSaved(form, from: base, edited, desk) {
                return saved(edited.campaign.id, "What you typed is already saved.", call)
            }
            return try await conflict(form, from: base, call)
        }
        do {
            let draft = try form.draft(over: edited.draft, desk.basis)
            try desk.requireZone()
            if edited.isPublished {
                return try await ComposeChange(
                    call: call, edited: edited, version: present, app: desk.app, remark: desk.zoneRemark
                ).save(draft)
            }
            _ = try await call.services.campaigns.drafts.save(
                edited.campaign.id, as: draft, from: present, by: try call.principal().author, app: desk.app
            )
            return saved(edited.campaign.id, "The draft was saved.\(desk.zoneRemark)", call)
        } catch ServiceError.conflict(code: "draftChanged", message: _) {
            return try await conflict(form, from: edited.draft, call)
        } catch {
            return try desk.rejected(form, error)
        }
    }

    /// Whether the stored draft is exactly what the form would make of the draft that it began from: that happens when
    /// the button is pressed twice. A form that publishes a waiting version, or that counts displays from zero again,
    /// still has something to do.
    private static func isSaved(
        _ form: ComposeForm, from base: CampaignDraft, _ edited: CampaignVersionService.Edited, _ desk: ComposeDesk
    ) throws -> Bool {
        let publishes = form.fields["then"].utf8.elementsEqual(ComposeChange.publishes.utf8)
        guard !form.fields.contains("anew"), !(publishes && edited.waiting != nil),
            let draft = try? form.draft(over: base, desk.basis)
        else { return false }
        return try DraftVersion(draft) == DraftVersion(edited.draft)
    }

    /// The draft that a form began from; nil where it is no longer kept, or differs from the version in the form.
    private static func beginning(
        of id: CampaignID, at version: DraftVersion, _ call: ConsoleCall
    ) async throws -> CampaignDraft? {
        guard let number: Int64 = WholeNumber.read(call.form["from"]) else { return nil }
        do {
            let draft = try await call.services.campaignVersions.find(number, of: id, app: try call.inApp()).draft
            return try DraftVersion(draft) == version ? draft : nil
        } catch ServiceError.notFound(what: "version", id: _, code: _) {
            return nil
        }
    }

    /// The form with the changes of both people. It is based on the present version, so an editor who has looked
    /// through it can save both.
    private static func conflict(
        _ form: ComposeForm, from base: CampaignDraft?, _ call: ConsoleCall
    ) async throws -> ConsoleResponse {
        let now = try await edited(call)
        let desk = try await ComposeDesk(call, editing: now, from: try DraftVersion(now.draft))
        let merge = ComposeMerge(form, from: base, over: now.draft, desk.basis)
        let alert = ComposeAlert.merged(
            merge, now.isPublished ? "message" : "draft", page: call.link("/campaigns/\(now.campaign.id)")
        )
        let merged = ComposeForm(merge.fields, kind: now.draft.kind)
        return .pageWithStatus(desk.page(merged, alert: alert, marks: merge.marks), .conflict)
    }

    /// The draft, or the published in-app message, that the address names.
    private static func edited(_ call: ConsoleCall) async throws -> CampaignVersionService.Edited {
        let edited = try await call.services.campaignVersions.edited(try call.campaign(), app: try call.inApp())
        guard edited.campaign.status == .draft || edited.isPublished else {
            throw ServiceError.conflict(
                message: """
                    This campaign is \(edited.campaign.status.rawValue). Only drafts and running in-app messages can be \
                    edited. Duplicate it.
                    """
            )
        }
        return edited
    }
}
