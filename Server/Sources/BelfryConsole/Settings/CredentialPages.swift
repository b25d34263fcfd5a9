import BelfryModel
import BelfryServices
import Foundation
import Hummingbird

/// The credentials of push services: add, replace, remove, check; they are never shown (CON-10, SEC-1).
enum CredentialPages {
    private static let page = "/apps/{app}/settings/credentials"

    static let routes: [ConsoleRoute] = [
        .get(page, .app(.administer)) { call in .page(try await shown(call)) },
        .post("\(page)/{provider}/save", .app(.administer), audit: nil, save),
        .post("\(page)/{provider}/check", .app(.administer), audit: nil, check),
        .get("\(page)/{provider}/remove", .app(.administer)) { call in .page(try await question(call)) },
        .post("\(page)/{provider}/remove", .app(.administer), audit: nil, remove),
    ]

    private static func save(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (provider, app) = (try call.provider(), try call.inApp())
        let form = CredentialForm(provider, call.form)
        let revision = CredentialRevision(text: call.form["version"]) ?? .nothing
        do {
            try await call.auditing("credentials.put", to: provider.rawValue) {
                try await form.save(call.services, app: app, over: revision)
            }
            let sentence = "The credentials for \(provider.title) were saved. Check them now: it takes a second."
            return .redirect(call.link(SettingsPlace.credentials.path), notice: .done(sentence))
        } catch ServiceError.conflict(code: FormProblems.changed, message: _) {
            return .pageWithStatus(try await shown(call, typed: form, isConflict: true), .conflict)
        } catch {
            guard let problems = FormProblems(error, fields: form.names) else { throw error }
            let page = try await shown(call, typed: form, problems, version: call.form["version"])
            return .pageWithStatus(page, .unprocessableContent)
        }
    }

    private static func check(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (provider, app) = (try call.provider(), try call.inApp())
        let record = try await call.services.apps.credentialRecord(provider, of: app)
        let result = try await call.services.testSends.pass(try call.principal()) {
            await call.services.credentialCheck.check(provider, app: app.id, record: record)
        }
        try await call.note("credentials.check", to: provider.rawValue)
        return .page(try await shown(call, result: (provider, result)))
    }

    private static func question(_ call: ConsoleCall, problem: String? = nil) async throws -> Page {
        let (provider, app) = (try call.provider(), try call.inApp())
        let overview = try await call.services.apps.credentials(of: app)
        guard let stored = CredentialWords.stored(provider, overview) else {
            throw ServiceError.notFound(what: "credentials", id: provider.rawValue)
        }
        let desk = try SettingsDesk(call, .credentials)
        var consequences = [stored, "From then on nothing is sent through \(provider.title)."]
        if provider == .webpush {
            consequences.append(
                "All subscriptions of browsers end: they belong to this key pair, even if you add another.")
        }
        return desk.page(
            "confirm",
            ConfirmModel(
                "Remove the credentials for \(provider.title)?", consequences: consequences, button: "Remove them",
                form: "\(desk.address)/\(provider.rawValue)/remove", back: desk.address, backTitle: "Push services",
                formToken: desk.formToken, hidden: ["version": overview.revision(provider).text], problem: problem
            )
        )
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (provider, app) = (try call.provider(), try call.inApp())
        do {
            try await call.auditing("credentials.remove", to: provider.rawValue) {
                try await call.services.apps.removeCredentials(
                    of: provider, app: app,
                    over: CredentialRevision(text: call.form["version"]) ?? CredentialRevision.nothing
                )
            }
        } catch ServiceError.conflict(code: FormProblems.changed, message: let message) {
            return .pageWithStatus(
                try await question(call, problem: "\(message) Below are those that are stored now."), .conflict
            )
        }
        return .redirect(
            call.link(SettingsPlace.credentials.path),
            notice: .done("The credentials for \(provider.title) were removed. Nothing is sent through it now.")
        )
    }

    /// - Parameter version: the version that the form began from; nil: that of the stored credentials.
    private static func shown(
        _ call: ConsoleCall, typed: CredentialForm? = nil, _ problems: FormProblems = FormProblems(),
        version: String? = nil, isConflict: Bool = false, result: (PushProvider, CredentialCheckResult)? = nil
    ) async throws -> Page {
        let overview = try await call.services.apps.credentials(of: try call.inApp())
        let desk = try SettingsDesk(call, .credentials)
        return desk.page(
            "settings-credentials",
            CredentialsModel(
                desk, overview, typed: typed, problems, version: version, isConflict: isConflict, result: result
            )
        )
    }
}

extension ConsoleCall {
    /// The push service that the address names.
    fileprivate func provider() throws -> PushProvider {
        let text = try part("provider")
        guard let provider = PushProvider(rawValue: text) else {
            throw ServiceError.notFound(what: "push service", id: String(text.prefix(32)))
        }
        return provider
    }
}

extension CredentialOverview {
    /// Whether no push service is set up.
    var isEmpty: Bool { apns == nil && fcm == nil && webpush == nil }

    func revision(_ provider: PushProvider) -> CredentialRevision {
        switch provider {
        case .apns: apns?.revision ?? .nothing
        case .fcm: fcm?.revision ?? .nothing
        case .webpush: webpush?.revision ?? .nothing
        }
    }

    func since(_ provider: PushProvider) -> Date? {
        switch provider {
        case .apns: apns?.updatedAt
        case .fcm: fcm?.updatedAt
        case .webpush: webpush?.updatedAt
        }
    }
}

/// The page with the credentials of all push services.
struct CredentialsModel: Sendable {
    /// One push service.
    struct Service: Sendable {
        let serviceID: String
        let serviceName: String
        let forWhom: String
        let serviceChip: StatusChip
        let storedSentence: String?
        let since: String?
        let resultSentence: String?
        let resultKind: String
        let formError: String?
        let isConflict: Bool
        let isOpen: Bool
        let formTitle: String
        let saveAddress: String
        let checkAddress: String
        let removeAddress: String
        let version: String
        let fields: [FormField]
        let command: String
    }

    let tabs: [Tab]
    let tabsLabel = "Settings"
    let formToken: String
    let services: [Service]

    init(
        _ desk: SettingsDesk, _ overview: CredentialOverview, typed: CredentialForm?, _ problems: FormProblems,
        version: String?, isConflict: Bool, result: (PushProvider, CredentialCheckResult)?
    ) {
        tabs = desk.tabs
        formToken = desk.formToken
        services = PushProvider.allCases.map { provider in
            let typed = typed?.provider == provider ? typed : nil
            return Self.service(
                provider, desk, overview, typed: typed, typed == nil ? FormProblems() : problems,
                version: typed == nil ? nil : version, isConflict: isConflict && typed != nil,
                result: result?.0 == provider ? result?.1 : nil
            )
        }
    }

    private static func service(
        _ provider: PushProvider, _ desk: SettingsDesk, _ overview: CredentialOverview, typed: CredentialForm?,
        _ problems: FormProblems, version: String?, isConflict: Bool, result: CredentialCheckResult?
    ) -> Service {
        let stored = CredentialWords.stored(provider, overview)
        let found = result.map { CredentialWords.result($0, of: provider) }
        let base = "\(desk.address)/\(provider.rawValue)"
        return Service(
            serviceID: provider.rawValue, serviceName: provider.title, forWhom: forWhom(provider),
            serviceChip: stored == nil
                ? StatusChip(word: "None", tone: "quiet")
                : StatusChip(
                    word: stored == CredentialWords.unreadable ? "Unreadable" : "Stored",
                    tone: stored == CredentialWords.unreadable ? "bad" : "good"),
            storedSentence: stored, since: overview.since(provider).map { "Since \(Moment.text($0))." },
            resultSentence: found?.sentence, resultKind: found?.isGood == true ? "done" : "warning",
            formError: problems.summary, isConflict: isConflict,
            isOpen: typed != nil, formTitle: stored == nil ? "Add credentials" : "Replace them",
            saveAddress: "\(base)/save", checkAddress: "\(base)/check", removeAddress: "\(base)/remove",
            version: version ?? overview.revision(provider).text,
            fields: fields(provider, typed ?? CredentialForm(provider, of: overview), problems),
            command: CredentialWords.command(provider, app: desk.app.code)
        )
    }

    private static func fields(
        _ provider: PushProvider, _ form: CredentialForm, _ problems: FormProblems
    ) -> [FormField] {
        CredentialForm.fields(provider).map { field in
            FormField(
                field.name, field.kind, field.label, value: form[field.name], hint: field.hint,
                problem: problems[field.name], part: provider.rawValue
            )
        }
    }

    private static func forWhom(_ provider: PushProvider) -> String {
        switch provider {
        case .apns: "iPhones, iPads and Macs"
        case .fcm: "Android"
        case .webpush: "Browsers"
        }
    }
}
