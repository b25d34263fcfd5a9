import BelfryModel
import BelfryServices

/// The calendar of an app's campaigns, by week and by month (CON-6).
enum CalendarPages {
    static let routes: [ConsoleRoute] = [
        .get("/apps/{app}/calendar", .app(.view)) { call in .page(try await shown(call, call.query)) },
        .post("/apps/{app}/calendar/pressure", .app(.view), audit: nil, pressure),
    ]

    private static func shown(
        _ call: ConsoleCall, _ fields: FormFields, pressure: PressureModel? = nil
    ) async throws -> Page {
        let app = try call.inApp()
        let today = call.services.calendar.today(in: app)
        let span = CalendarSpan(fields, today: today)
        let entries = try await call.services.calendar.entries(from: span.first, days: span.days, app: app)
        let model = CalendarModel(
            entries, span, today: today, zone: AppZone(app.settings), base: call.link(""), may: try call.rights(),
            formToken: try call.signedIn().formToken, pressure: pressure
        )
        return Page("Calendar", template: "calendar", section: .calendar, model: model)
    }

    /// Counts how many planned messages reach the same devices. It reads all devices of the app, so only a few calls
    /// may do so at the same time.
    private static func pressure(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let span = CalendarSpan(call.form, today: call.services.calendar.today(in: app))
        do {
            let counted = try await call.services.previews.pass(try call.principal()) {
                try await call.services.calendar.pressure(from: span.first, days: span.days, app: app)
            }
            return .page(
                try await shown(call, call.form, pressure: PressureModel(counted, base: call.link("/campaigns")))
            )
        } catch let error as ServiceError {
            let problem = ErrorPage(error)
            let page = try await shown(call, call.form, pressure: PressureModel(problem: problem.sentence))
            return .pageWithStatus(page, problem.status)
        }
    }
}
