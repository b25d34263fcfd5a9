import BelfryModel
import BelfryServices
import Hummingbird

/// The parts of an app's setup that the first steps check.
struct AppSetup: Hashable, Sendable {
    var hasCredentials = false
    var hasDevices = false
    var hasAttributes = false
    /// Whether the app has a message center besides the primary one, which every app has.
    var hasCenters = false
    var hasOrigins = false
    var hasCampaigns = false

    init() {}

    init(_ call: ConsoleCall) async throws {
        let (app, services) = (try await call.services.apps.stored(call.inApp()), call.services)
        hasCredentials = try await !services.apps.credentials(of: app).isEmpty
        hasDevices = try await !services.directory.devices(
            matching: DeviceListFilter(), app: app, before: nil, limit: 1
        ).devices.isEmpty
        hasAttributes = try await !services.apps.attributes(of: app).isEmpty
        hasCenters = try await services.messageCenters.all(of: app).count > 1
        hasOrigins = !app.settings.origins.isEmpty
        hasCampaigns = try await !services.campaigns.queries.list(app: app, before: nil, limit: 1).isEmpty
    }
}

/// A step of an app's setup: what to do, why, and the lines to copy (CON-11).
struct FirstStep: Sendable {
    let stepTitle: String
    let stepSentence: String
    let isDone: Bool
    let stepChip: StatusChip
    let stepAddress: String?
    let stepLink: String
    let lines: String?

    private init(
        _ title: String, _ sentence: String, isDone: Bool, isNeeded: Bool, address: String?, link: String,
        lines: String?
    ) {
        stepTitle = title
        stepSentence = sentence
        self.isDone = isDone
        stepChip =
            isDone
            ? StatusChip(word: "Done", tone: "good")
            : StatusChip(word: isNeeded ? "To do" : "If you need it", tone: isNeeded ? "warning" : "quiet")
        stepAddress = address
        stepLink = link
        self.lines = isDone ? nil : lines
    }

    /// All steps, in the order in which to do them.
    ///
    /// - Parameters:
    ///   - base: the address of the app.
    ///   - server: the address under which devices reach the server.
    static func all(_ setup: AppSetup, app: AppCode, base: String, server: String) -> [FirstStep] {
        func place(_ place: SettingsPlace) -> String { base + place.path }
        return [
            FirstStep(
                "Add the credentials of a push service",
                "Without them nothing reaches a locked screen. One service is enough to begin.",
                isDone: setup.hasCredentials, isNeeded: true, address: place(.credentials), link: "Push services",
                lines: CredentialWords.command(.apns, app: app)
            ),
            FirstStep(
                "Connect the app",
                "Add the package Belfry to the app, start it with these lines, and open the app once on a device.",
                isDone: setup.hasDevices, isNeeded: true, address: nil, link: "",
                lines: sdkLines(app: app, server: server)
            ),
            FirstStep(
                "Define what is known about people",
                "Attributes such as a city or a plan: audiences and texts use them.",
                isDone: setup.hasAttributes, isNeeded: false, address: place(.attributes), link: "Attributes",
                lines: "belfry app attribute \(app.rawValue) city string"
            ),
            FirstStep(
                "Make a message center",
                "The app has the center 'Primary'. Others keep offers apart from news, say.",
                isDone: setup.hasCenters, isNeeded: false, address: place(.centers), link: "Message centers",
                lines: "belfry app message-center set \(app.rawValue) Offers --label \"Offers\""
            ),
            FirstStep(
                "Let websites in", "Web pages may use the app only from websites that it lists.",
                isDone: setup.hasOrigins, isNeeded: false, address: place(.websites), link: "Websites",
                lines: "belfry app settings \(app.rawValue) --allowed-origin https://www.example.com"
            ),
            FirstStep(
                "Send the first campaign", "Compose a push, look at it on the phone of the page, and launch it.",
                isDone: setup.hasCampaigns, isNeeded: true, address: "\(base)/campaigns/new", link: "Compose a push",
                lines: nil
            ),
        ]
    }

    private static func sdkLines(app: AppCode, server: String) -> String {
        """
        import Belfry

        let configuration = try BelfryConfiguration(
            appCode: "\(app.rawValue)",
            serverURL: URL(string: "\(server)")!,
            directory: BelfryConfiguration.standardDirectory()
        )
        let client = try BelfryClient(configuration: configuration, platform: ApplePlatform())
        try await client.start()
        """
    }
}

/// The page with the first steps of an app's setup (CON-10, CON-11).
enum SetupPages {
    static let routes: [ConsoleRoute] = [
        .get("/apps/{app}\(SettingsPlace.overview.path)", .app(.administer)) { call in
            let desk = try SettingsDesk(call, .overview)
            let steps = FirstStep.all(
                try await AppSetup(call), app: desk.app.code, base: desk.base, server: call.serverAddress
            )
            return .page(desk.page("settings", SetupModel(desk, steps)))
        }
    ]
}

/// The first page of the settings.
struct SetupModel: Sendable {
    let tabs: [Tab]
    let tabsLabel = "Settings"
    let summary: String
    let steps: [FirstStep]

    init(_ desk: SettingsDesk, _ steps: [FirstStep]) {
        tabs = desk.tabs
        self.steps = steps
        let open = steps.filter { !$0.isDone && $0.stepChip.tone == "warning" }
        summary =
            open.first.map { "Next: \($0.stepTitle.loweredFirst)." }
            ?? "The app has all that it needs. Everything can be changed here at any time."
    }
}
