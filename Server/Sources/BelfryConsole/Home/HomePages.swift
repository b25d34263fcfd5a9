import BelfryModel
import BelfryServerModel
import BelfryServices

/// Where a person arrives, and the apps that they may see (CON-4).
enum HomePages {
    static let maximumApps = 200

    static let routes: [ConsoleRoute] = [
        .get("", .signedIn, start),
        .get("/apps/{app}", .app(.view), home),
        .post("/scheme", .signedIn, audit: nil) { call in
            .scheme(ColorScheme(rawValue: call.form["scheme"]) ?? .system, next: SignInPages.safe(call.form["next"]))
        },
    ]

    /// With one app there is nothing to choose.
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

    static func apps(of user: SignedInUser, _ services: APIServices) async throws -> [AppService.App] {
        var apps: [AppService.App] = []
        var cursor: Int64?
        repeat {
            let page = try await services.apps.list(only: nil, after: cursor, limit: maximumApps)
            apps += page.apps.filter { user.role(in: $0) != nil }
            cursor = page.next
        } while cursor != nil && apps.count < maximumApps
        return apps
    }

    private static func home(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let overview = try await call.services.statistics.overview(
            app: app, days: HomeModel.days, campaigns: HomeModel.listed
        )
        let model = HomeModel(
            overview, zone: AppZone(app.settings), base: call.link(""), may: try call.rights()
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

/// A campaign in a list.
struct CampaignLine: Sendable {
    let name: String
    let address: String
    let kind: String
    let status: StatusChip

    init(_ campaign: CampaignService.Summary, base: String) {
        name = campaign.name
        address = "\(base)/\(campaign.id)"
        kind = campaign.kind.words
        status = StatusChip(campaign.status)
    }
}

/// A state as a chip: a word and a tone, never the colour alone.
struct StatusChip: Hashable, Sendable {
    let word: String
    /// `quiet`, `good`, `busy`, `warning` or `bad`.
    let tone: String

    init(word: String, tone: String) {
        self.word = word
        self.tone = tone
    }

    init(_ status: CampaignStatus) {
        switch status {
        case .draft: self.init(word: "Draft", tone: "quiet")
        case .scheduled: self.init(word: "Scheduled", tone: "busy")
        case .sending: self.init(word: "Sending", tone: "busy")
        case .active: self.init(word: "Active", tone: "good")
        case .paused: self.init(word: "Paused", tone: "warning")
        case .completed: self.init(word: "Completed", tone: "good")
        case .cancelled: self.init(word: "Cancelled", tone: "quiet")
        }
    }
}

extension CampaignKind {
    /// As people call it.
    var words: String {
        switch self {
        case .push: "Push"
        case .pushAndMessageCenter: "Push, kept in a message center"
        case .messageCenter: "Message center"
        case .inApp: "In-app message"
        case .silent: "Silent push"
        }
    }
}
