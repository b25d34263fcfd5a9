import BelfryModel
import BelfryServices
import Foundation

/// The page of one's own account: password and sessions (CON-3).
enum AccountPages {
    static let routes: [ConsoleRoute] = [
        .get("/account", .signedIn) { call in .page(try await page(call)) },
        .post("/account/password", .signedIn, audit: nil, changePassword),
        .post("/account/sessions/{session}/end", .signedIn, audit: nil) { call in
            guard let session: Int64 = WholeNumber.read(try call.part("session")) else {
                throw ServiceError.notFound(what: "session", id: "")
            }
            let user = try call.signedIn()
            try await call.auditing("user.session.end", to: String(user.id)) {
                try await call.services.signIn.end(session, of: user.id)
            }
            return .redirect("/console/account", notice: .done("The session was ended."))
        },
    ]

    private static func changePassword(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let user = try call.signedIn()
        let password: String
        do {
            guard call.form["new"] == call.form["again"] else {
                throw ServiceError.invalid(
                    field: "again", ValueError(code: "differentPassword", message: "The two new passwords differ.")
                )
            }
            try call.services.signIn.attempt(by: user, from: call.network)
            password = try await call.auditing("user.password", to: String(user.id)) {
                try await call.services.users.changePassword(
                    of: user, from: call.form["present"], to: call.form["new"]
                )
            }
        } catch ServiceError.invalid(let field, let error) {
            return .pageWithStatus(
                try await page(call, problem: (field: field, sentence: error.message)), .unprocessableContent
            )
        }
        // The new password has ended all sessions, so this browser gets a new session.
        let signedIn = try await call.services.signIn.begin(
            for: user.id, provenBy: password, agent: call.agent
        )
        return .signedIn(signedIn, next: "/console/account")
    }

    private static func page(
        _ call: ConsoleCall, problem: (field: String, sentence: String)? = nil
    ) async throws -> Page {
        let user = try call.signedIn()
        let sessions = try await call.services.signIn.sessions(of: user.id)
        return Page(
            "Your account", template: "account",
            model: AccountModel(user: user, sessions: sessions, now: call.services.now(), problem: problem)
        )
    }
}

struct AccountModel: Sendable {
    struct Session: Sendable {
        let agent: String
        let since: String
        let seen: String
        let isThis: Bool
        let endAddress: String
    }

    let name: String
    let displayName: String
    let formToken: String
    /// False for a person who signs in by the identity provider, which keeps their password.
    let hasPassword: Bool
    let sessions: [Session]
    let presentProblem: String?
    let newProblem: String?
    let againProblem: String?

    init(user: SignedInUser, sessions: [UserSession], now: Date, problem: (field: String, sentence: String)?) {
        name = user.name
        displayName = user.displayName
        formToken = user.formToken
        hasPassword = user.hasPassword
        self.sessions = sessions.map { session in
            Session(
                agent: session.agent.isEmpty ? "Unknown browser" : session.agent,
                since: Moment.text(session.createdAt), seen: Moment.ago(session.seenAt, now: now),
                isThis: session.id == user.session, endAddress: "/console/account/sessions/\(session.id)/end"
            )
        }
        presentProblem = problem?.field == "present" ? problem?.sentence : nil
        newProblem = problem?.field == "password" ? problem?.sentence : nil
        againProblem = problem?.field == "again" ? problem?.sentence : nil
    }
}
