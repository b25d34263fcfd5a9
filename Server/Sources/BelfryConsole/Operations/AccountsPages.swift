import BelfryModel
import BelfryServices
import Foundation
import Hummingbird

/// Accounts of people who sign in: create, lock, set a new password, sign out (CON-3, CON-10).
enum AccountsPages {
    private static let page = OperationsPlace.people.path

    static let routes: [ConsoleRoute] = [
        .get(page, .operators) { call in .page(try await list(call)) },
        .post("\(page)/create", .operators, audit: nil, create),
        .get("\(page)/{user}", .operators) { call in .page(try await AccountView(call).page()) },
        .post("\(page)/{user}/change", .operators, audit: nil, change),
        .post("\(page)/{user}/password", .operators, audit: nil, setPassword),
        .post("\(page)/{user}/sessions/{session}/end", .operators, audit: nil, endSession),
        .get("\(page)/{user}/delete", .operators) { call in .page(try await question(call)) },
        .post("\(page)/{user}/delete", .operators, audit: nil, delete),
    ]

    private static func create(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let form = NewAccountForm(call.form)
        do {
            guard form.password.showsNothing || form.password == call.form["again"] else {
                throw FormProblems("again", "The two passwords differ.")
            }
            let user = try await call.auditing("user.create") {
                try await call.services.users.create(
                    name: form.name, displayName: form.displayName.showsNothing ? nil : form.displayName,
                    password: form.password.showsNothing ? nil : form.password, isOperator: form.isOperator,
                    roles: [:]
                )
            } naming: { user in
                String(user.id)
            }
            return .redirect(
                "\(OperationsPlace.people.address)/\(user.id)",
                notice: .done("\(user.name.isolated) was made. Give them a role in an app, under the app's settings.")
            )
        } catch {
            guard let problems = FormProblems(error, fields: NewAccountForm.names) else { throw error }
            return .pageWithStatus(try await list(call, typed: form, problems), .unprocessableContent)
        }
    }

    private static func change(_ call: ConsoleCall) async throws -> ConsoleResponse {
        var view = try await AccountView(call)
        let (person, version) = (view.person, call.form["version"])
        let typed = AccountForm(call.form)
        do {
            try rejectOwn(call, person, unless: typed.isOperator && !typed.isDisabled)
            try await call.auditing("user.change", to: String(person.user.id)) {
                try await call.services.users.change(
                    person.user.name, displayName: typed.displayName, isOperator: typed.isOperator,
                    isDisabled: typed.isDisabled
                ) { user in
                    guard AccountForm(user).version == version else { throw EditedState.conflict }
                }
            }
            return .redirect(view.address, notice: .done("The account of \(person.user.name.isolated) was saved."))
        } catch ServiceError.conflict(code: FormProblems.changed, message: _) {
            view = try await AccountView(call)
            (view.typed, view.isConflict) = (typed, true)
            return .pageWithStatus(view.page(), .conflict)
        } catch {
            guard let problems = FormProblems(error, fields: AccountForm.names) else { throw error }
            (view.typed, view.problems, view.version) = (typed, problems, version)
            return .pageWithStatus(view.page(), .unprocessableContent)
        }
    }

    private static func setPassword(_ call: ConsoleCall) async throws -> ConsoleResponse {
        var view = try await AccountView(call)
        let person = view.person
        do {
            guard person.user.id != (try call.signedIn().id) else {
                throw FormProblems("password", "This is your own account. Change your password under Your account.")
            }
            guard call.form["password"] == call.form["again"] else {
                throw FormProblems("again", "The two passwords differ.")
            }
            try await call.auditing("user.password", to: String(person.user.id)) {
                try await call.services.users.setPassword(call.form["password"], of: person.user.name)
            }
            return .redirect(
                view.address,
                notice: .done(
                    "\(person.user.name.isolated) has a new password. All of their sessions have ended. Give it to them."
                )
            )
        } catch {
            guard let problems = FormProblems(error, fields: ["password", "again"]) else { throw error }
            view.problems = problems
            return .pageWithStatus(view.page(), .unprocessableContent)
        }
    }

    private static func endSession(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let view = try await AccountView(call)
        guard let session: Int64 = WholeNumber.read(try call.part("session")) else {
            throw ServiceError.notFound(what: "session", id: "")
        }
        try await call.auditing("user.session.end", to: String(view.person.user.id)) {
            try await call.services.signIn.end(session, of: view.person.user.id)
        }
        return .redirect(view.address, notice: .done("The session was ended."))
    }

    private static func question(_ call: ConsoleCall, problem: String? = nil) async throws -> Page {
        let view = try await AccountView(call)
        let desk = try OperationsDesk(call, .people)
        let roles = view.person.roles.count
        return desk.page(
            "confirm",
            ConfirmModel(
                "Delete the account of \(view.person.user.displayName.isolated)?",
                consequences: [
                    "\(view.person.user.name.isolated) can no longer sign in. All of their sessions end.",
                    roles == 0
                        ? "They have no role in any app."
                        : "They lose \(Figures.count(roles, "role in an app", "roles in apps")).",
                    "The audit log keeps what they have done.",
                ],
                button: "Delete it", form: "\(view.address)/delete", back: view.address, backTitle: "The account",
                formToken: desk.formToken, problem: problem
            )
        )
    }

    private static func delete(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let view = try await AccountView(call)
        let user = view.person.user
        do {
            try rejectOwn(call, view.person, unless: false)
        } catch is FormProblems {
            let page = try await question(call, problem: "This is your own account. Ask another operator to delete it.")
            return .pageWithStatus(page, .unprocessableContent)
        }
        try await call.auditing("user.delete", to: String(user.id)) {
            try await call.services.users.remove(user.name)
        }
        return .redirect(
            OperationsPlace.people.address, notice: .done("The account of \(user.name.isolated) was deleted."))
    }

    /// Throws if operators would delete or lock their own account, or stop being operators. So nobody locks themselves
    /// out by mistake.
    private static func rejectOwn(
        _ call: ConsoleCall, _ person: UserService.Person, unless keeps: Bool
    ) throws {
        guard !keeps, person.user.id == (try call.signedIn().id) else { return }
        throw FormProblems(
            "isOperator", "This is your own account: you stay an operator who can sign in. Ask another operator."
        )
    }

    private static func list(
        _ call: ConsoleCall, typed: NewAccountForm = NewAccountForm(), _ problems: FormProblems = FormProblems()
    ) async throws -> Page {
        let cursor: Int64? = WholeNumber.read(call.query["after"])
        let people = try await call.services.users.list(after: cursor, limit: AccountsModel.pageSize + 1)
        let desk = try OperationsDesk(call, .people)
        let model = AccountsModel(desk, people, isFirstPage: cursor == nil, typed: typed, problems)
        return desk.page("operations-people", model)
    }
}
