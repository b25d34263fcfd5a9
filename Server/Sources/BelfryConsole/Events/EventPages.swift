import BelfryModel
import BelfryServices

/// The events of an app, of a person or of a device: by name, time and attributes (EVT-7).
enum EventPages {
    static let pageSize = 50

    static let routes: [ConsoleRoute] = [.get("/apps/{app}/events", .app(.view), list)]

    private static func list(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let form = EventForm(call.query)
        let place = EventsPlace(app: call.link(""), zone: AppZone(app.settings))
        var whose: NamedEventScope?
        do {
            let filter = try form.filter(place.zone)
            whose = try await scope(of: form, call)
            let cursor = call.query.optional("cursor")
            let found = try await call.services.directory.events(
                whose?.scope ?? .everybody, app: app, matching: filter, cursor: cursor, limit: pageSize
            )
            return .page(page(EventsModel(found, form, whose: whose, isFirst: cursor == nil, at: place)))
        } catch let problems as FormProblems {
            let model = EventsModel(nil, form, whose: whose, isFirst: true, at: place, problems: problems)
            return .pageWithStatus(page(model), .unprocessableContent)
        }
    }

    /// The person or device whose events are searched; nil: everybody's.
    private static func scope(of form: EventForm, _ call: ConsoleCall) async throws -> NamedEventScope? {
        let (app, directory) = (try call.inApp(), call.services.directory)
        if let person = form.person { return try await directory.eventScope(of: person, app: app) }
        guard !form.whose.isEmpty else { return nil }
        guard let found = try await directory.eventScope(named: form.whose, app: app) else {
            throw FormProblems("of", "Nobody has this contact key, and no device has this id.")
        }
        return found
    }

    private static func page(_ model: EventsModel) -> Page {
        Page("Events", template: "events", section: .events, model: model)
    }
}
