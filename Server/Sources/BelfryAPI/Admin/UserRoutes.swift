import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryWire

/// The routes for people who sign in to the console (CON-3). Only keys of the whole server may use them: otherwise the
/// key of one app could create an operator.
package enum UserRoutes {
    package static let page = PageLimits(standard: 100, maximum: 1_000)

    static let all = [
        createUser.route, listUsers.route, changeUser.route, setPassword.route, deleteUser.route, listSessions.route,
        endSession.route, endSessions.route, listAppUsers.route, setRole.route, removeRole.route,
    ]

    package static let createUser = AdminRoute(
        .post(audit: "user.create"), "/users", id: "createUser", .users, scope: .admin,
        summary: "Create a person who signs in to the console",
        description: "The key must belong to the whole server. Nobody has a role by default.",
        response: "The person.", status: .created, errors: [.notFound, .conflict], does: create
    )

    package static let listUsers = AdminRoute(
        .get, "/users", id: "listUsers", .users, scope: .admin, summary: "List the people who sign in to the console",
        description: "In the order of their creation.", parameters: page.parameters, response: "One page.",
        does: list
    )

    package static let changeUser = AdminRoute(
        .put(audit: "user.change"), "/users/{user}", id: "changeUser", .users, scope: .admin,
        summary: "Change a person's account",
        description: """
            Absent fields do not change. A person who gets or loses the whole server, or is locked, has to sign in again.
            """,
        response: "The person.", errors: [.notFound], does: change
    )

    package static let listSessions = AdminRoute(
        .get, "/users/{user}/sessions", id: "listUserSessions", .users, scope: .admin,
        summary: "List a person's sessions", description: "Open sessions, newest first.",
        response: "The sessions.", errors: [.notFound]
    ) { (call: AdminCall<NoBody>) -> Done<UserSessionListResponse> in
        let user = try await call.services.users.find(try requireWholeServer(call).part("user")).user
        let sessions = try await call.services.signIn.sessions(of: user.id)
        return Done(UserSessionListResponse(sessions))
    }

    package static let endSession = AdminRoute(
        .delete(audit: "user.session.end"), "/users/{user}/sessions/{session}", id: "endUserSession", .users,
        scope: .admin, summary: "End a person's session", description: "The request may be repeated.",
        response: "The session has ended.", errors: [.notFound]
    ) { (call: AdminCall<NoBody>) -> Done<NoBody> in
        let user = try await call.services.users.find(try requireWholeServer(call).part("user")).user
        let text = try call.part("session")
        guard let session: Int64 = WholeNumber.read(text) else {
            throw ServiceError.notFound(what: "session", id: String(text.prefix(32)))
        }
        try await call.services.signIn.end(session, of: user.id)
        return Done(to: String(user.id))
    }

    package static let endSessions = AdminRoute(
        .delete(audit: "user.sessions.end"), "/users/{user}/sessions", id: "endUserSessions", .users, scope: .admin,
        summary: "End all sessions of a person",
        description: "Their password stays, and they may sign in again. The request may be repeated.",
        response: "All of their sessions have ended.", errors: [.notFound]
    ) { (call: AdminCall<NoBody>) -> Done<NoBody> in
        let user = try await call.services.users.find(try requireWholeServer(call).part("user")).user
        try await call.services.signIn.endAll(of: user.id)
        return Done(to: String(user.id))
    }

    package static let listAppUsers = AdminRoute(
        .get, inApp: "/users", id: "listAppUsers", .users, scope: .admin, summary: "List the people of the app",
        description: "The people with a role in the app, each with this role alone, in the order of their creation.",
        parameters: page.parameters, response: "One page.", does: listOfApp
    )

    package static let setPassword = AdminRoute(
        .put(audit: "user.password"), "/users/{user}/password", id: "setUserPassword", .users, scope: .admin,
        summary: "Set a person's password", description: "All sessions of the person end.",
        response: "The password was set.", errors: [.notFound]
    ) { (call: AdminCall<SetPasswordRequest>) -> Done<NoBody> in
        let name = try requireWholeServer(call).part("user")
        let password = try await call.body().password
        let number = try await number(of: name, call.services)
        try await call.services.users.setPassword(password, of: name)
        return Done(to: number)
    }

    package static let deleteUser = AdminRoute(
        .delete(audit: "user.delete"), "/users/{user}", id: "deleteUser", .users, scope: .admin,
        summary: "Delete a person who signs in", description: "All sessions of the person end.",
        response: "The person was deleted.", errors: [.notFound]
    ) { (call: AdminCall<NoBody>) -> Done<NoBody> in
        let name = try requireWholeServer(call).part("user")
        let number = try await number(of: name, call.services)
        try await call.services.users.remove(name)
        return Done(to: number)
    }

    package static let setRole = AdminRoute(
        .put(audit: "user.role"), inApp: "/users/{user}", id: "setUserRole", .users, scope: .admin,
        summary: "Give a person a role in the app",
        description: "Their sessions end, unless it is their first role in the app or they are an operator.",
        response: "The role was given."
    ) { (call: AdminCall<SetUserRoleRequest>, app: AppService.App) -> Done<NoBody> in
        let name = try call.part("user")
        let role = try await call.body().role
        let number = try await number(of: name, call.services)
        try await call.services.users.setRole(role, of: name, in: app)
        return Done(to: number)
    }

    package static let removeRole = AdminRoute(
        .delete(audit: "user.role"), inApp: "/users/{user}", id: "removeUserRole", .users, scope: .admin,
        summary: "Take a person's role in the app away",
        description: "Their sessions end, unless they are an operator.",
        response: "The person has no role in the app."
    ) { (call: AdminCall<NoBody>, app: AppService.App) -> Done<NoBody> in
        let name = try call.part("user")
        let number = try await number(of: name, call.services)
        try await call.services.users.setRole(nil, of: name, in: app)
        return Done(to: number)
    }

    /// The person's number for the audit log, which does not store names, because a name may be a person's address. It
    /// is looked up before the change: afterwards the person may be gone, and nothing would be logged.
    private static func number(of name: String, _ services: APIServices) async throws -> String {
        String(try await services.users.find(name).user.id)
    }

    /// The call, if its key belongs to the whole server; otherwise an error.
    private static func requireWholeServer<Body>(_ call: AdminCall<Body>) throws -> AdminCall<Body> {
        guard call.context.principal.app == nil else {
            throw ServiceError.forbidden(code: "forbidden", message: "This key belongs to one app.")
        }
        return call
    }

    private static func create(_ call: AdminCall<CreateUserRequest>) async throws -> Done<UserResponse> {
        let body = try await requireWholeServer(call).body()
        var roles: [Int64: UserRole] = [:]
        for (code, role) in body.roles ?? [:] { roles[try await call.services.apps.find(code).id] = role }
        let user = try await call.services.users.create(
            name: body.name, displayName: body.displayName, password: body.password,
            isOperator: body.isOperator ?? false, roles: roles
        )
        let response = UserResponse(user, roles: body.roles ?? [:])
        return Done(response, to: String(user.id))
    }

    private static func change(_ call: AdminCall<ChangeUserRequest>) async throws -> Done<UserResponse> {
        let name = try requireWholeServer(call).part("user")
        let body = try await call.body()
        let before = try await call.services.users.find(name).user
        try await call.services.users.change(
            name, displayName: body.displayName ?? before.displayName, isOperator: body.isOperator ?? before.isOperator,
            isDisabled: body.isDisabled ?? before.isDisabled
        ) { present in
            guard present == before else {
                throw ServiceError.conflict(message: "The account was changed meanwhile. Send the request again.")
            }
        }
        let after = try await call.services.users.find(name)
        let codes = try await codes(of: [after], call.services)
        return Done(UserResponse(after, codes), to: String(after.user.id))
    }

    private static func listOfApp(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<UserListResponse> {
        let page = try call.page(Self.page)
        let found = try await call.services.users.list(in: app, after: page.number(), limit: page.limit + 1)
        let (shown, cursor) = page.cut(found) { $0.user.id }
        let users = shown.compactMap { person in
            person.roles[app.id].map { UserResponse(person.user, roles: [app.code.rawValue: $0]) }
        }
        return Done(UserListResponse(users: users, cursor: cursor))
    }

    private static func list(_ call: AdminCall<NoBody>) async throws -> Done<UserListResponse> {
        let page = try requireWholeServer(call).page(Self.page)
        let found = try await call.services.users.list(after: page.number(), limit: page.limit + 1)
        let codes = try await codes(of: found, call.services)
        let (shown, cursor) = page.cut(found) { $0.user.id }
        return Done(UserListResponse(users: shown.map { UserResponse($0, codes) }, cursor: cursor))
    }

    private static func codes(
        of people: [UserService.Person], _ services: APIServices
    ) async throws -> [Int64: String] {
        let wanted = Set(people.flatMap(\.roles.keys))
        return try await services.apps.codes(of: wanted)
    }
}

extension UserResponse {
    /// - Parameter codes: the codes of the apps in which the person may have a role, by the app's number.
    fileprivate init(_ person: UserService.Person, _ codes: [Int64: String]) {
        let roles = person.roles.compactMap { app, role in codes[app].map { ($0, role) } }
        self.init(person.user, roles: Dictionary(roles) { first, _ in first })
    }

    init(_ user: UserService.User, roles: [String: UserRole]) {
        self.init(
            name: user.name, displayName: user.displayName, isOperator: user.isOperator, isDisabled: user.isDisabled,
            hasPassword: user.password != nil, roles: roles, createdAt: Timestamp.text(user.createdAt)
        )
    }
}
