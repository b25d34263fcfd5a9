import BelfryModel
import BelfryServerModel
import BelfryServices
import Hummingbird

/// The pages of people: who they are, what they got and why, export and erasure (CON-9).
enum PeoplePages {
    private static let person = "/apps/{app}/people/{id}"
    private static let erasing = "contact.erase"

    static let routes: [ConsoleRoute] = [
        .get("/apps/{app}/people", .app(.view), search),
        // A link from a campaign's page.
        .get("/apps/{app}/campaigns/{id}/person", .app(.view)) { call in
            .redirect(call.link("/people?campaign=\(try call.campaign())"))
        },
        .get(person, .app(.view)) { call in .page(try await page(call)) },
        .get("\(person)/why", .app(.view), why),
        .post("\(person)/export", .app(.managePeople), audit: "contact.export", export),
        .get("\(person)/erase", .app(.managePeople)) { call in .page(try await erasure(call)) },
        .post("\(person)/erase", .app(.managePeople), audit: erasing, erase),
        // The audit log names the device by its number, as for the API.
        .post("/apps/{app}/people/{id}/devices/{device}/revoke", .app(.managePeople), audit: nil, revoke),
    ]

    private static func search(_ call: ConsoleCall) async throws -> ConsoleResponse {
        var desk = try await PeopleDesk(call)
        do {
            let findings = try await desk.findings()
            return .page(desk.page(findings))
        } catch ServiceError.invalid(let field, let error) {
            return .pageWithStatus(desk.page(problem: (field, error.message)), .unprocessableContent)
        }
    }

    private static func page(_ call: ConsoleCall) async throws -> Page {
        let app = try call.inApp()
        let reference = try call.person()
        let kind = TimelineKind(rawValue: call.query["kind"])
        let zone = AppZone(app.settings)
        // Each query uses a reader of its own, so that none waits for the others (PERF-12).
        async let timeline = call.services.explainer.telling { zone.text($0) }.timeline(
            of: reference, app: app, kind: kind, cursor: call.query.optional("cursor"), limit: PersonModel.timelineSize
        )
        async let campaigns = WhyForm.campaigns(call)
        let profile = try await call.services.directory.person(reference, app: app)
        let place = try PersonPlace(call, profile.contact.id)
        let shown = TimelineModel(
            try await timeline, kind: kind, isFirst: call.query["cursor"].isEmpty, at: place
        )
        let model = PersonModel(
            profile, timeline: shown, why: WhyForm(place, campaigns: try await campaigns), at: place, app: app,
            now: call.services.now()
        )
        return Page(model.personTitle, template: "person", section: .people, model: model)
    }

    /// Exports a person's data as a file. It is streamed, and never held in memory as a whole.
    private static func export(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let export = try await call.services.contacts.export(try call.person(), app: app)
        let now = call.services.now()
        let body = ResponseBody { writer in
            var document = ContactExportDocument(export, app: app.code, at: now)
            try await document.write { bytes in try await writer.write(ByteBuffer(bytes: bytes)) }
            try await writer.finish(nil)
        }
        return .download(name: "person-\(export.contact.id).json", contentType: "application/json", body)
    }

    /// The confirmation page, which says what an erasure removes.
    private static func erasure(_ call: ConsoleCall, typed: String = "", problem: String? = nil) async throws -> Page {
        let person = try await call.services.contacts.erasable(try call.person(), app: try call.inApp())
        let model = ErasureModel(person, at: try PersonPlace(call, person.number), typed: typed, problem: problem)
        return Page("Erase a person", template: "person-erase", section: .people, model: model)
    }

    private static func erase(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let person = try await call.services.contacts.erasable(try call.person(), app: app)
        let typed = call.form["key"]
        let proof = ErasureProof(person)
        guard proof.isGiven(by: typed) else {
            let page = try await erasure(call, typed: typed, problem: proof.problem)
            return .pageWithStatus(page, .unprocessableContent)
        }
        let receipt = try await call.services.access.announcing(
            erasing, by: call.principal(), app: app.code, target: String(person.number)
        ) {
            try await call.services.contacts.erase(.number(person.number), app: app)
        }
        return .redirect(
            call.link("/people"),
            notice: .done("The person was erased. The receipt is \(receipt.name); the audit log names who did it.")
        )
    }

    private static func revoke(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let person = try call.person()
        guard let device: Int64 = WholeNumber.read(try call.part("device")) else {
            throw ServiceError.notFound(what: "device", id: "")
        }
        let app = try call.inApp()
        // The audit log names the device; without this it would name the person from the route.
        try await call.auditing("device.revoke", to: String(device)) {
            try await call.services.links.revoke(installation: device, of: person, app: app)
        }
        return .redirect(
            call.link("/people/\(try call.part("id"))"),
            notice: .done("The device was revoked. It gets nothing more until it has registered and linked again.")
        )
    }
}

extension ConsoleCall {
    /// The contact that the address names by its number. A contact key may contain any text, so addresses and logs have
    /// the number instead.
    func person() throws(ServiceError) -> PersonReference {
        let text = try part("id")
        guard let number: Int64 = WholeNumber.read(text), number > 0 else {
            throw .notFound(what: "person", id: String(text.prefix(32)))
        }
        return .number(number)
    }
}

extension FormFields {
    /// The value of a field; nil when it is missing or empty.
    func optional(_ name: String) -> String? {
        self[name].isEmpty ? nil : self[name]
    }
}
