import BelfryBrowser
import BelfryServices
import Hummingbird

/// The pages of settings with one form each (CON-10).
enum SettingsFormPages {
    static let routes: [ConsoleRoute] = SettingsTopic.all.flatMap { topic in
        [
            ConsoleRoute.get("/apps/{app}\(topic.place.path)", .app(.administer)) { call in
                let app = try await call.services.apps.stored(call.inApp())
                return .page(try await page(call, topic, SettingsForm(topic, of: app), of: app))
            },
            ConsoleRoute.post("/apps/{app}\(topic.place.path)", .app(.administer), audit: nil) { call in
                try await save(call, topic)
            }.keepingForm,
        ]
    }

    private static func save(_ call: ConsoleCall, _ topic: SettingsTopic) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let form = SettingsForm(topic, call.form)
        let version = call.form["version"]
        do {
            let change = try form.change()
            let name = topic.names.contains("name") ? form["name"] : nil
            let names = ((name == nil ? [] : ["name"]) + change.names).joined(separator: " ")
            _ = try await call.auditing("settings.put", to: names) {
                try await call.services.apps.changeSettings(change, name: name, of: app) { stored in
                    guard SettingsForm(topic, of: stored).version == version else { throw EditedState.conflict }
                }
            }
            return .redirect(call.link(topic.place.path), notice: .done("The settings were saved."))
        } catch ServiceError.conflict(code: FormProblems.changed, message: _) {
            let now = try await call.services.apps.stored(app)
            let model = try await page(call, topic, form, of: now, isConflict: true)
            return .pageWithStatus(model, .conflict)
        } catch {
            guard let problems = FormProblems(error, fields: topic.names) else { throw error }
            let now = try await call.services.apps.stored(app)
            // The form keeps the version that it began from, so that a change by somebody else is still found.
            let model = try await page(call, topic, form, of: now, problems, version: version)
            return .pageWithStatus(model, .unprocessableContent)
        }
    }

    /// - Parameter version: the version that the form began from; nil: that of the stored settings.
    private static func page(
        _ call: ConsoleCall, _ topic: SettingsTopic, _ form: SettingsForm, of app: AppService.App,
        _ problems: FormProblems = FormProblems(), version: String? = nil, isConflict: Bool = false
    ) async throws -> Page {
        let desk = try SettingsDesk(call, topic.place)
        var website: WebsiteModel?
        if topic.place == .websites {
            let credentials = try await call.services.apps.credentials(of: app)
            let sdk = BrowserSDK(version: call.services.publicServer.version)
            website = WebsiteModel(
                sdk.lines(server: call.serverAddress, app: app.code.rawValue), app: app,
                publicKey: credentials.webpush?.facts?.publicKey,
                credentialsAddress: call.link(SettingsPlace.credentials.path)
            )
        }
        let stored = SettingsForm(topic, of: app)
        return desk.page(
            "settings-form",
            SettingsFormModel(
                desk, topic, form, stored: stored, problems, version: version ?? stored.version,
                isConflict: isConflict, website: website
            )
        )
    }
}

/// A page of settings with one form.
struct SettingsFormModel: Sendable {
    let tabs: [Tab]
    let tabsLabel = "Settings"
    let heading: String
    let lead: String
    let formAddress: String
    let formToken: String
    let version: String
    let fields: [FormField]
    let formError: String?
    let isConflict: Bool
    let website: WebsiteModel?

    init(
        _ desk: SettingsDesk, _ topic: SettingsTopic, _ form: SettingsForm, stored: SettingsForm,
        _ problems: FormProblems, version: String, isConflict: Bool, website: WebsiteModel?
    ) {
        tabs = desk.tabs
        heading = topic.place.title
        lead = topic.lead
        formAddress = desk.address
        formToken = desk.formToken
        self.version = version
        fields = topic.fields.map { field in
            let differs = isConflict && form[field.name] != stored[field.name]
            return FormField(
                field.name, field.kind, field.label, value: form[field.name], hint: field.hint,
                problem: problems[field.name],
                stored: differs ? field.kind.words(of: stored[field.name]) : nil
            )
        }
        formError = problems.summary
        self.isConflict = isConflict
        self.website = website
    }
}

/// The lines and keys that a website needs to use the app.
struct WebsiteModel: Sendable {
    /// The VAPID public key; nil: the app has no key pair for Web Push yet.
    let publicKey: String?
    let credentialsAddress: String
    let page: String
    let worker: String
    let policy: String
    let command: String

    init(_ lines: WebsiteLines, app: AppService.App, publicKey: String?, credentialsAddress: String) {
        self.publicKey = publicKey
        self.credentialsAddress = credentialsAddress
        (page, worker, policy) = (lines.page, lines.worker, lines.policy)
        command = "belfry app web \(app.code.rawValue)"
    }
}

extension ConsoleCall {
    /// The address under which devices reach the server, for texts to copy.
    var serverAddress: String { settings.serverAddress(host: host) }
}
