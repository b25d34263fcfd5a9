import BelfryModel
import BelfryServices
import Hummingbird

/// The people of an app and their roles (CON-3, CON-10). Operators of the server decide who has an account at all.
enum RolePages {
    private static let page = "/apps/{app}/settings/people"
    static let pageSize = 50

    static let routes: [ConsoleRoute] = [
        .get(page, .app(.administer)) { call in .page(try await shown(call)) },
        .post("\(page)/add", .app(.administer), audit: nil, add),
        .post("\(page)/change", .app(.administer), audit: nil, change),
        .get("\(page)/remove", .app(.administer)) { call in .page(try await question(call, call.query["user"])) },
        .post("\(page)/remove", .app(.administer), audit: nil, remove),
    ]

    private static func add(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (name, typed) = (call.form["user"], call.form["role"])
        let app = try call.inApp()
        do {
            guard !name.showsNothing else { throw FormProblems("user", "Enter a sign-in name.") }
            guard let role = UserRole(rawValue: typed) else { throw FormProblems("role", "Choose a role.") }
            try await setRole(role, of: name, call) { present in
                guard present == nil else {
                    throw FormProblems(
                        "user", "'\(String(name.prefix(128)).isolated)' has a role here already. Change it in the list."
                    )
                }
            }
            return .redirect(
                call.link(SettingsPlace.people.path),
                notice: .done("\(name.isolated) is \(RoleWords.withArticle(role)) of \(app.name.isolated) now.")
            )
        } catch ServiceError.notFound(what: "user", id: _, code: _) {
            let advice =
                "Nobody signs in as '\(String(name.prefix(128)).isolated)'. An operator of the server makes people, here or with "
                + "belfry user create."
            return .pageWithStatus(
                try await shown(call, typed: (name, typed), FormProblems("user", advice)), .unprocessableContent
            )
        } catch {
            guard let problems = FormProblems(error, fields: ["user", "role"]) else { throw error }
            return .pageWithStatus(try await shown(call, typed: (name, typed), problems), .unprocessableContent)
        }
    }

    private static func change(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (name, seen) = (call.form["user"], UserRole(rawValue: call.form["version"]))
        do {
            try rejectOwn(call, name)
            guard let role = UserRole(rawValue: call.form["role"]) else {
                throw FormProblems("change", "Choose a role for '\(String(name.prefix(128)).isolated)'.")
            }
            let hasEnded = try await setRole(role, of: name, call) { present in
                guard present == seen else { throw EditedState.conflict }
            }
            let end = hasEnded ? " Their sessions have ended." : ""
            return .redirect(
                call.link(SettingsPlace.people.path),
                notice: .done("\(name.isolated) is \(RoleWords.withArticle(role)) now.\(end)")
            )
        } catch ServiceError.conflict(code: FormProblems.changed, message: _) {
            let wanted = UserRole(rawValue: call.form["role"]).map(RoleWords.withArticle) ?? "somebody else"
            let sentence =
                "Somebody else has changed the role of \(name.isolated) meanwhile; their changes were not overwritten. You "
                + "wanted \(name.isolated) to be \(wanted). The list shows the current role."
            return .pageWithStatus(try await shown(call, conflict: sentence), .conflict)
        } catch {
            guard let problems = FormProblems(error, fields: ["change"]) else { throw error }
            return .pageWithStatus(try await shown(call, problems), .unprocessableContent)
        }
    }

    private static func question(_ call: ConsoleCall, _ name: String, problem: String? = nil) async throws -> Page {
        let person = try await call.services.users.find(name)
        let app = try call.inApp()
        guard let role = person.roles[app.id] else {
            throw ServiceError.notFound(what: "person of this app", id: String(name.prefix(128)))
        }
        let desk = try SettingsDesk(call, .people)
        let end = person.user.isOperator ? "" : "All of their sessions end. "
        return desk.page(
            "confirm",
            ConfirmModel(
                "Take \(person.user.displayName.isolated) out of \(app.name.isolated)?",
                consequences: [
                    "\(person.user.name.isolated) is \(RoleWords.withArticle(role)) of this app, and will not see it any more.",
                    "\(end)Their account stays, with their roles in other apps.",
                ],
                button: "Take them out", form: "\(desk.address)/remove", back: desk.address, backTitle: "People",
                formToken: desk.formToken, hidden: ["user": person.user.name, "version": role.rawValue],
                problem: problem
            )
        )
    }

    private static func remove(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let (name, seen) = (call.form["user"], UserRole(rawValue: call.form["version"]))
        do {
            try rejectOwn(call, name)
            try await setRole(nil, of: name, call) { present in
                guard present == seen, present != nil else { throw EditedState.conflict }
            }
        } catch ServiceError.conflict(code: FormProblems.changed, message: let message) {
            return .pageWithStatus(try await question(call, name, problem: message), .conflict)
        } catch let problems as FormProblems {
            return .pageWithStatus(try await shown(call, problems), .unprocessableContent)
        }
        return .redirect(
            call.link(SettingsPlace.people.path), notice: .done("\(name.isolated) no longer has a role here."))
    }

    /// Throws if admins would change their own role, so that nobody locks themselves out by mistake.
    private static func rejectOwn(_ call: ConsoleCall, _ name: String) throws {
        guard let typed = try? UserName(name), typed.text == (try call.signedIn().name) else { return }
        throw FormProblems("change", "This is your own role. Ask another admin of the app to change it.")
    }

    /// - Returns: whether the person's sessions have ended.
    @discardableResult
    private static func setRole(
        _ role: UserRole?, of name: String, _ call: ConsoleCall,
        unless check: @escaping @Sendable (UserRole?) throws -> Void
    ) async throws -> Bool {
        let (users, app) = (call.services.users, try call.inApp())
        // The audit log names people by number: a name may be an e-mail address, and the person may leave.
        let number = try await users.find(name).user.id
        return try await call.auditing("user.role", to: String(number)) {
            try await users.setRole(role, of: name, in: app, unless: check)
        }
    }

    private static func shown(
        _ call: ConsoleCall, typed: (name: String, role: String) = ("", ""),
        _ problems: FormProblems = FormProblems(), conflict: String? = nil
    ) async throws -> Page {
        let cursor: Int64? = WholeNumber.read(call.query["after"])
        let people = try await call.services.users.list(
            in: try call.inApp(), after: cursor, limit: pageSize + 1
        )
        let desk = try SettingsDesk(call, .people)
        let model = RolesModel(
            desk, people, me: try call.signedIn(), isFirstPage: cursor == nil, typed: typed, problems,
            conflict: conflict
        )
        return desk.page("settings-people", model)
    }
}

/// Roles in words.
enum RoleWords {
    static func withArticle(_ role: UserRole) -> String {
        switch role {
        case .viewer: "a viewer"
        case .marketer: "a marketer"
        case .approver: "an approver"
        case .admin: "an admin"
        }
    }

    static func words(_ role: UserRole) -> String {
        switch role {
        case .viewer: "Viewer: sees everything, changes nothing"
        case .marketer: "Marketer: composes and launches campaigns"
        case .approver: "Approver: approves and stops campaigns of others"
        case .admin: "Admin: does everything, settings and people included"
        }
    }

    static let choices = UserRole.allCases.map { FormChoice($0.rawValue, words($0)) }
}

/// The page of an app's people.
struct RolesModel: Sendable {
    struct Line: Sendable {
        let personName: String
        let personID: String
        let signIn: String
        let version: String
        /// The field for the role; nil in one's own line.
        let role: FormField?
        let ownRole: String?
        let personChip: StatusChip?
        let removeAddress: String?
    }

    let tabs: [Tab]
    let tabsLabel = "Settings"
    let formToken: String
    let formError: String?
    let conflict: String?
    let isEmpty: Bool
    let lines: [Line]
    let fields: [FormField]
    let addAddress: String
    let changeAddress: String
    let peopleAddress: String?
    let isFirstPage: Bool
    let firstAddress: String
    let nextAddress: String?

    init(
        _ desk: SettingsDesk, _ people: [UserService.Person], me: SignedInUser, isFirstPage: Bool,
        typed: (name: String, role: String), _ problems: FormProblems, conflict: String?
    ) {
        tabs = desk.tabs
        formToken = desk.formToken
        let sentences = [problems["change"]].compactMap(\.self)
        formError = problems.summary.map { ([$0] + sentences).joined(separator: " ") }
        self.conflict = conflict
        let shown = people.prefix(RolePages.pageSize)
        isEmpty = people.isEmpty && isFirstPage
        lines = shown.compactMap { person in
            person.roles[desk.app.id].map { Self.line(person, $0, me: me, address: desk.address) }
        }
        fields = [
            FormField(
                "user", .line, "Name", value: typed.name, hint: "What the person signs in with.",
                problem: problems["user"]
            ),
            FormField("role", .choice(RoleWords.choices), "Role", value: typed.role, problem: problems["role"]),
        ]
        addAddress = "\(desk.address)/add"
        changeAddress = "\(desk.address)/change"
        peopleAddress = me.isOperator ? OperationsPlace.people.address : nil
        self.isFirstPage = isFirstPage
        firstAddress = desk.address
        nextAddress = people.count > shown.count ? shown.last.map { "\(desk.address)?after=\($0.user.id)" } : nil
    }

    private static func line(
        _ person: UserService.Person, _ role: UserRole, me: SignedInUser, address: String
    ) -> Line {
        let isMe = person.user.id == me.id
        return Line(
            personName: person.user.displayName, personID: String(person.user.id), signIn: person.user.name,
            version: role.rawValue,
            role: isMe
                ? nil
                : FormField(
                    "role", .choice(RoleWords.choices), "Role of \(person.user.name)", value: role.rawValue,
                    part: String(person.user.id)
                ),
            ownRole: isMe ? RoleWords.words(role) : nil,
            personChip: person.user.isDisabled ? StatusChip(word: "Locked", tone: "warning") : nil,
            removeAddress: isMe ? nil : "\(address)/remove?user=\(WireURL.encoded(person.user.name))"
        )
    }
}
