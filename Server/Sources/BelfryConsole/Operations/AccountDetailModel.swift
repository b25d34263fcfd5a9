import BelfryModel
import BelfryServices
import Foundation

/// The data from which the page of one account is made.
struct AccountView: Sendable {
    let person: UserService.Person
    let sessions: [UserSession]
    /// The codes of apps by their numbers.
    let codes: [Int64: String]
    let desk: OperationsDesk
    let me: Int64
    let now: Date
    var typed: AccountForm?
    var problems = FormProblems()
    /// The version that the form began from; nil: that of the stored account.
    var version: String?
    var isConflict = false

    init(_ call: ConsoleCall) async throws {
        let text = try call.part("user")
        guard let id: Int64 = WholeNumber.read(text) else {
            throw ServiceError.notFound(what: "person", id: String(text.prefix(32)))
        }
        person = try await call.services.users.find(id: id)
        sessions = try await call.services.signIn.sessions(of: id)
        codes = try await call.services.apps.codes(of: Set(person.roles.keys))
        desk = try OperationsDesk(call, .people)
        me = try call.signedIn().id
        now = call.services.now()
    }

    var address: String { "\(desk.address)/\(person.user.id)" }

    func page() -> Page {
        desk.page("operations-person", AccountDetailModel(self))
    }
}

/// The page of one account.
struct AccountDetailModel: Sendable {
    struct Session: Sendable {
        let agent: String
        let since: String
        let seen: String
        let endAddress: String
    }

    struct Role: Sendable {
        let roleApp: String
        let roleWords: String
        let roleAddress: String
    }

    let tabs: [Tab]
    let tabsLabel = "Operations"
    let formToken: String
    let displayName: String
    let signIn: String
    let listAddress: String
    let formError: String?
    let isConflict: Bool
    let changeAddress: String
    let version: String
    let fields: [FormField]
    let isMe: Bool
    let passwordAddress: String
    let passwordFields: [FormField]
    let passwordSentence: String
    let deleteAddress: String?
    let sessions: [Session]
    let hasSessions: Bool
    let roles: [Role]
    let hasRoles: Bool

    init(_ view: AccountView) {
        let user = view.person.user
        tabs = view.desk.tabs
        formToken = view.desk.formToken
        displayName = user.displayName
        signIn = user.name
        listAddress = view.desk.address
        formError = view.problems.summary
        isConflict = view.isConflict
        changeAddress = "\(view.address)/change"
        let stored = AccountForm(user)
        version = view.version ?? stored.version
        fields = Self.fields(view.typed ?? stored, stored: stored, view.problems, isConflict: view.isConflict)
        isMe = user.id == view.me
        passwordAddress = "\(view.address)/password"
        passwordFields = [
            FormField(
                "password", .password, "New password",
                hint: "At least 12 characters. A sentence is better than a jumble of signs.",
                problem: view.problems["password"]
            ),
            FormField("again", .password, "The new password again", problem: view.problems["again"]),
        ]
        passwordSentence =
            user.password == nil
            ? "They have no password, and cannot sign in before one is set." : "All of their sessions end."
        deleteAddress = isMe ? nil : "\(view.address)/delete"
        sessions = view.sessions.map { session in
            Session(
                agent: session.agent.isEmpty ? "Unknown browser" : session.agent, since: Moment.text(session.createdAt),
                seen: Moment.ago(session.seenAt, now: view.now),
                endAddress: "\(view.address)/sessions/\(session.id)/end"
            )
        }
        hasSessions = !sessions.isEmpty
        roles = view.person.roles.sorted { $0.key < $1.key }.compactMap { app, role in
            view.codes[app].map { code in
                Role(
                    roleApp: code, roleWords: RoleWords.words(role),
                    roleAddress: "/console/apps/\(code)\(SettingsPlace.people.path)"
                )
            }
        }
        hasRoles = !roles.isEmpty
    }

    private static func fields(
        _ form: AccountForm, stored: AccountForm, _ problems: FormProblems, isConflict: Bool
    ) -> [FormField] {
        func flag(_ name: String, _ label: String, _ value: Bool, _ now: Bool, hint: String) -> FormField {
            FormField(
                name, .check, label, value: value ? FormField.on : "", hint: hint, problem: problems[name],
                stored: isConflict && value != now ? (now ? "on" : "off") : nil
            )
        }
        return [
            FormField(
                "displayName", .line, "Displayed name", value: form.displayName, problem: problems["displayName"],
                stored: isConflict && form.displayName != stored.displayName ? stored.displayName : nil
            ),
            flag(
                "isOperator", "Operator of the server", form.isOperator, stored.isOperator,
                hint: "Sees these pages, and is an admin in every app."
            ),
            flag(
                "isDisabled", "Locked", form.isDisabled, stored.isDisabled,
                hint: "They cannot sign in. Their roles stay for later."
            ),
        ]
    }
}

/// The page with all accounts.
struct AccountsModel: Sendable {
    static let pageSize = 50

    struct Line: Sendable {
        let personName: String
        let signIn: String
        let personAddress: String
        let personChips: [StatusChip]
        let since: String
        let roleCount: String
    }

    let tabs: [Tab]
    let tabsLabel = "Operations"
    let formToken: String
    let formError: String?
    let lines: [Line]
    let createAddress: String
    let fields: [FormField]
    let isFirstPage: Bool
    let firstAddress: String
    let nextAddress: String?

    init(
        _ desk: OperationsDesk, _ people: [UserService.Person], isFirstPage: Bool, typed: NewAccountForm,
        _ problems: FormProblems
    ) {
        tabs = desk.tabs
        formToken = desk.formToken
        formError = problems.summary
        let shown = people.prefix(Self.pageSize)
        lines = shown.map { person in
            Line(
                personName: person.user.displayName, signIn: person.user.name,
                personAddress: "\(desk.address)/\(person.user.id)", personChips: Self.chips(person.user),
                since: Moment.text(person.user.createdAt),
                roleCount: Figures.count(person.roles.count, "app", "apps")
            )
        }
        createAddress = "\(desk.address)/create"
        fields = [
            FormField(
                "name", .line, "Name", value: typed.name,
                hint: "What the person signs in with, such as their e-mail address.",
                problem: problems["name"]
            ),
            FormField(
                "displayName", .line, "Displayed name", value: typed.displayName, hint: "Empty: the name.",
                problem: problems["displayName"]
            ),
            FormField(
                "password", .password, "Password", hint: "At least 12 characters. Empty: set one later.",
                problem: problems["password"]
            ),
            FormField("again", .password, "The password again", problem: problems["again"]),
            FormField(
                "isOperator", .check, "Operator of the server", value: typed.isOperator ? FormField.on : "",
                hint: "Sees these pages, and is an admin in every app.", problem: problems["isOperator"]
            ),
        ]
        self.isFirstPage = isFirstPage
        firstAddress = desk.address
        nextAddress = people.count > shown.count ? shown.last.map { "\(desk.address)?after=\($0.user.id)" } : nil
    }

    private static func chips(_ user: UserService.User) -> [StatusChip] {
        (user.isOperator ? [StatusChip(word: "Operator", tone: "busy")] : [])
            + (user.isDisabled ? [StatusChip(word: "Locked", tone: "warning")] : [])
            + (user.password == nil ? [StatusChip(word: "No password", tone: "quiet")] : [])
    }
}
