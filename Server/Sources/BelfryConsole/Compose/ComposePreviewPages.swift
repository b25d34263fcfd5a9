import BelfryModel
import BelfryServerModel
import BelfryServices
import Hummingbird

/// Previews of the form with its present input; nothing is saved (CON-5).
enum ComposePreviewPages {
    /// The number of attributes that are shown of each sample person.
    private static let sampleAttributes = 3
    private static let foundContacts = 6

    /// The preview with phones, audience and times.
    static func preview(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let desk = try await ComposeDesk(call)
        var contents = try await Self.contents(call, desk)
        if case .contact(let key) = contents.settings.person {
            contents.found = try await found(key, call, desk.app)
        }
        let audience = try await audience(call, desk, schedule: contents.draft.schedule)
        let model = ComposePreviewModel(
            contents, audience: audience, appName: desk.app.name, pageAddress: call.link("/campaigns/preview/page")
        )
        return .fragment(template: "compose-preview", model: model)
    }

    /// The HTML page of an in-app or rich message, for its frame.
    static func page(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let contents = try await contents(call, try await ComposeDesk(call))
        let part = MessagePage.Part(rawValue: call.query["part"]) ?? .inApp
        let html = contents.preview.flatMap {
            MessagePage.html($0, type: contents.draft.inApp?.type, part: part, look: PhoneLook(call.query))
        }
        return .sandboxed(
            html: html ?? MessagePage.sentence(contents.problem ?? "There is nothing to show."),
            policy: MessagePage.policy
        )
    }

    /// The draft as far as the form can be read, and its contents for the chosen person.
    private static func contents(_ call: ConsoleCall, _ desk: ComposeDesk) async throws -> ComposeContents {
        var base: CampaignDraft?
        if let id = CampaignID(call.form["campaign"]) {
            base = try await call.services.campaignVersions.edited(id, app: desk.app).draft
        }
        let form = ComposeForm(call.form, kind: base?.kind ?? CampaignKind(rawValue: call.form["kind"]) ?? .push)
        var problems = FormProblems()
        let draft = form.draft(over: base, desk.basis, &problems)
        let settings = PreviewSettings(call.form)
        var contents = ComposeContents(draft: draft, settings: settings, centers: desk.basis.centers)
        do {
            // Typed templates may take long to compile.
            let preview = try await call.services.previews.pass(try call.principal()) {
                try await call.services.campaigns.draftPreviews.preview(
                    of: draft, as: settings.person, locale: settings.locale, app: desk.app
                )
            }
            contents.preview = preview
            contents.problem = preview.problem
        } catch let ServiceError.notFound(what, id, _) where what == "contact" {
            contents.problem =
                "No contact has the key '\(id.isolated)'. Choose one that begins with it, or type another."
        } catch let error as ServiceError {
            contents.problem = ErrorPage(error).sentence
        }
        return contents
    }

    /// Keys of contacts that begin with a text; empty when the text is exactly one contact's key.
    private static func found(_ key: String, _ call: ConsoleCall, _ app: AppService.App) async throws -> [String] {
        let found = try await call.services.directory.contacts(app: app, prefix: key, cursor: nil, limit: foundContacts)
        let keys = found.contacts.filter(\.known).map(\.key)
        return keys == [key] ? [] : keys
    }

    private static func audience(
        _ call: ConsoleCall, _ desk: ComposeDesk, schedule: CampaignSchedule?
    ) async throws -> ComposeAudience {
        let condition: Condition
        do throws(FormProblems) {
            condition = try AudienceForm(call.form).condition(schema: desk.basis.schema)
        } catch {
            return ComposeAudience(reach: ReachModel(unreached: "The audience is not complete yet."))
        }
        let reach = try await ReachModel(condition, call, app: desk.app)
        guard reach.unreached == nil else { return ComposeAudience(reach: reach) }
        var audience = ComposeAudience(reach: reach)
        do {
            let attributes = Array((condition.attributes + desk.basis.attributes).uniqued.prefix(sampleAttributes))
            audience = try await call.services.previews.pass(try call.principal()) {
                let campaigns = call.services.campaigns
                let people = try await campaigns.audiences.people(of: condition, attributes: attributes, app: desk.app)
                let isTimed = schedule?.at != nil || schedule?.localAt != nil
                let zones = isTimed ? try await campaigns.audiences.zones(of: condition, app: desk.app) : []
                return ComposeAudience(
                    reach: reach, people: people.map { SamplePerson($0, base: call.link("/people")) },
                    zones: ZoneTable(zones, schedule: schedule, app: AppZone(desk.app.settings))
                )
            }
        } catch is ServiceError {
            // The number of devices is known. To read sample people too would cost too much now.
        }
        return audience
    }
}

extension Condition {
    /// The contact attributes that the condition names, in its order.
    var attributes: [String] {
        switch self {
        case .attribute(let name, _): [name]
        case .all(let parts), .any(let parts): parts.flatMap(\.attributes)
        case .not(let part): part.attributes
        default: []
        }
    }
}

extension Sequence where Element: Hashable {
    /// The elements without duplicates, in the order of their first occurrence.
    fileprivate var uniqued: [Element] {
        var known: Set<Element> = []
        return filter { known.insert($0).inserted }
    }
}
