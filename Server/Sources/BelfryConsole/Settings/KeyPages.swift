import BelfryModel
import BelfryServices
import Foundation
import Hummingbird

/// The app's keys for the admin API: create with a scope, list, revoke. A key's secret is shown once (CON-10, ADM-6).
enum KeyPages {
    private static let page = "/apps/{app}/settings/keys"
    static let pageSize = 50

    static let routes: [ConsoleRoute] = [
        .get(page, .app(.administer)) { call in .page(try await shown(call)) },
        .post("\(page)/create", .app(.administer), audit: nil, create),
        .get("\(page)/{key}/revoke", .app(.administer)) { call in
            let (desk, key) = (try SettingsDesk(call, .keys), try call.part("key"))
            return .page(
                desk.page(
                    "confirm",
                    ConfirmModel(
                        "Revoke '\(String(key.prefix(64)).isolated)'?",
                        consequences: [
                            "Calls with this key are refused from now on, by every process of the server.",
                            "It cannot be made valid again. Make another key first if a program still needs one.",
                        ],
                        button: "Revoke it", form: "\(desk.address)/\(WireURL.encoded(key))/revoke", back: desk.address,
                        backTitle: "API keys", formToken: desk.formToken
                    )
                )
            )
        },
        .post("\(page)/{key}/revoke", .app(.administer), audit: nil) { call in
            let key = try call.part("key")
            try await call.auditing("key.revoke", to: key) {
                try await call.services.adminKeys.revoke(key, app: try call.inApp())
            }
            return .redirect(call.link(SettingsPlace.keys.path), notice: .done("The key '\(key)' was revoked."))
        },
    ]

    private static func create(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let form = KeyForm(call.form)
        do {
            guard let scope = AdminScope(rawValue: form.scope) else {
                throw FormProblems("scope", "Choose what the key may do.")
            }
            guard let zone = AppZone(shownBy: call.form, of: app.settings) else {
                throw FormProblems(
                    "expiresAt", "This server does not know the time zone of the form. Look at the day, then try again."
                )
            }
            let made = try await make(form, scope, until: try form.end(in: zone), call)
            // Only this response contains the secret: no address and no form shows it again.
            if let secret = made.secret { return .page(try await shown(call, secret: secret)) }
            let sentence = """
                The form was submitted twice, and made one key, '\(made.key.name)'. Its secret was shown once. If nobody has it, \
                revoke the key and make another.
                """
            return .redirect(call.link(SettingsPlace.keys.path), notice: .warning(sentence))
        } catch {
            guard let problems = FormProblems(error, fields: ["scope", "label", "expiresAt"]) else { throw error }
            return .pageWithStatus(try await shown(call, typed: form, problems), .unprocessableContent)
        }
    }

    /// Creates the key, once for each page that was shown.
    ///
    /// - Returns: the key; its secret only if this call created it.
    private static func make(
        _ form: KeyForm, _ scope: AdminScope, until end: Date?, _ call: ConsoleCall
    ) async throws -> (key: AdminKeyService.Key, secret: String?) {
        let (keys, app, action) = (call.services.adminKeys, try call.inApp(), "key.create")
        let label = form.label.showsNothing ? nil : form.label
        guard let formKey = try call.formKey(audit: action) else {
            let made = try await call.auditing(action) {
                try await keys.create(scope: scope, label: label, expiresAt: end, app: app)
            } naming: { made in
                made.key.name
            }
            return (made.key, made.secret)
        }
        return try await keys.create(scope: scope, label: label, expiresAt: end, once: formKey, app: app)
    }

    private static func shown(
        _ call: ConsoleCall, typed: KeyForm = KeyForm(), _ problems: FormProblems = FormProblems(),
        secret: String? = nil
    ) async throws -> Page {
        let cursor: Int64? = WholeNumber.read(call.query["before"])
        let found = try await call.services.adminKeys.list(app: try call.inApp(), before: cursor, limit: pageSize)
        let desk = try SettingsDesk(call, .keys)
        // A refused form keeps the time zone in which it was shown.
        let zone = problems.isEmpty ? nil : AppZone(shownBy: call.form, of: desk.app.settings)
        let model = KeysModel(
            desk, found.keys, next: found.next, isFirstPage: cursor == nil, typed: typed, problems, secret: secret,
            now: call.services.now(), formKey: call.newFormKey, formZone: zone
        )
        return desk.page("settings-keys", model)
    }
}

/// The form for a new key.
struct KeyForm: Hashable, Sendable {
    var scope = ""
    var label = ""
    var expiresOn = ""

    init() {}

    init(_ form: FormFields) {
        scope = form["scope"]
        label = form["label"]
        expiresOn = form["expiresAt"]
    }

    /// The end of the chosen day in the app's time zone; nil: the key does not expire.
    func end(in zone: AppZone) throws(FormProblems) -> Date? {
        guard !expiresOn.showsNothing else { return nil }
        guard let date = zone.date("\(expiresOn)T23:59") else {
            throw FormProblems("expiresAt", "Choose a day, or leave it empty.")
        }
        return date
    }
}

/// The page of an app's keys.
struct KeysModel: Sendable {
    struct Line: Sendable {
        let keyName: String
        let keyLabel: String
        let scope: String
        let made: String
        let ends: String
        let keyChip: StatusChip
        let revokeAddress: String?
    }

    let tabs: [Tab]
    let tabsLabel = "Settings"
    let formToken: String
    let formKey: String
    let formError: String?
    let secret: String?
    let isEmpty: Bool
    let lines: [Line]
    let createAddress: String
    let fields: [FormField]
    let command: String
    let isFirstPage: Bool
    let firstAddress: String
    let olderAddress: String?

    init(
        _ desk: SettingsDesk, _ keys: [AdminKeyService.Key], next: Int64?, isFirstPage: Bool, typed: KeyForm,
        _ problems: FormProblems, secret: String?, now: Date, formKey: String, formZone: AppZone? = nil
    ) {
        tabs = desk.tabs
        formToken = desk.formToken
        self.formKey = formKey
        formError = problems.summary
        self.secret = secret
        isEmpty = keys.isEmpty && isFirstPage
        let zone = AppZone(desk.app.settings)
        lines = keys.map { Self.line($0, address: desk.address, zone: zone, now: now) }
        createAddress = "\(desk.address)/create"
        let formZone = formZone ?? zone
        fields = [
            FormField(AppZone.fieldName, .hidden, "", value: formZone.name),
            FormField(
                "label", .line, "Label", value: typed.label, hint: "Who uses it, such as: shop back end.",
                problem: problems["label"]
            ),
            FormField(
                "scope", .choice(AdminScope.allCases.map { FormChoice($0.rawValue, Self.words($0)) }),
                "What it may do", value: typed.scope, problem: problems["scope"]
            ),
            FormField(
                "expiresAt", .typed("date"), "Last day", value: typed.expiresOn,
                hint: "By the clocks of \(formZone.name). Empty: it does not expire.", problem: problems["expiresAt"]
            ),
        ]
        command = "belfry app key create \(desk.app.code.rawValue) --scope read"
        self.isFirstPage = isFirstPage
        firstAddress = desk.address
        olderAddress = next.map { "\(desk.address)?before=\($0)" }
    }

    private static func line(
        _ key: AdminKeyService.Key, address: String, zone: AppZone, now: Date
    ) -> Line {
        let isOver = key.expiresAt.map { $0 <= now } ?? false
        let chip =
            key.revokedAt != nil
            ? StatusChip(word: "Revoked", tone: "quiet")
            : isOver ? StatusChip(word: "Expired", tone: "quiet") : StatusChip(word: "Valid", tone: "good")
        return Line(
            keyName: key.name, keyLabel: key.label ?? "No label", scope: key.scope.map(words) ?? "Nothing",
            made: zone.text(key.createdAt), ends: key.expiresAt.map(zone.text) ?? "Never", keyChip: chip,
            revokeAddress: key.revokedAt == nil ? "\(address)/\(WireURL.encoded(key.name))/revoke" : nil
        )
    }

    private static func words(_ scope: AdminScope) -> String {
        switch scope {
        case .read: "Read everything of the app"
        case .campaign: "Read, and compose and launch campaigns"
        case .admin: "Everything, settings and people included"
        }
    }
}
