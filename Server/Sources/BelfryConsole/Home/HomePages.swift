import BelfryModel
import BelfryServerModel
import BelfryServices

/// The first page of an app, and the list of a person's apps (CON-4).
enum HomePages {
    static let maximumApps = 200

    static let routes: [ConsoleRoute] = [
        .get("", .signedIn, start),
        .get("/apps/{app}", .app(.view), home),
        .post("/scheme", .signedIn, audit: nil) { call in
            .scheme(ColorScheme(rawValue: call.form["scheme"]) ?? .system, next: SignInPages.safe(call.form["next"]))
        },
    ]

    /// Shows the list of apps. A person with only one app goes straight to it.
    private static func start(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let user = try call.signedIn()
        let apps = try await apps(of: user, call.services)
        if let only = apps.first, apps.count == 1 {
            return .redirect("/console/apps/\(only.code.rawValue)")
        }
        return .page(
            Page(
                "Apps", template: "apps",
                model: AppsModel(
                    apps: apps.map { app in
                        AppsModel.Entry(
                            name: app.name, code: app.code.rawValue, address: "/console/apps/\(app.code.rawValue)",
                            role: user.role(in: app)?.rawValue ?? ""
                        )
                    },
                    isOperator: user.isOperator
                )
            )
        )
    }

    private static func apps(of user: SignedInUser, _ services: APIServices) async throws -> [AppService.App] {
        guard !user.isOperator else {
            return try await services.apps.list(only: nil, after: nil, limit: maximumApps).apps
        }
        var apps: [AppService.App] = []
        // Each app is read by its number: a server may have many apps that the person does not see.
        for app in user.roles.keys.sorted().prefix(maximumApps) {
            apps += try await services.apps.list(only: app, after: nil, limit: 1).apps
        }
        return apps
    }

    private static func home(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let overview = try await call.services.statistics.overview(
            app: app, days: HomeModel.days, campaigns: HomeModel.listed
        )
        let model = HomeModel(
            overview, zone: AppZone(app.settings), base: call.link(""), may: try call.rights(),
            beside: call.settings.invitation?.neighbours ?? []
        )
        return .page(Page(app.name, template: "home", section: .home, model: model))
    }
}

struct AppsModel: Sendable {
    struct Entry: Sendable {
        let name: String
        let code: String
        let address: String
        let role: String
    }

    let apps: [Entry]
    let isOperator: Bool
}
