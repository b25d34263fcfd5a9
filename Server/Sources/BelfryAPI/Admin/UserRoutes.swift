import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryWire

/// The people who sign in to the console (CON-3). Only keys of the whole server manage them: a key of one app could
/// otherwise make itself an operator.
package enum UserRoutes {
    package static let page = PageLimits(standard: 100, maximum: 1_000)

    static let all = [
        createUser.route, listUsers.route, setPassword.route, deleteUser.route, setRole.route, removeRole.route,
    ]

    package static let createUser = AdminRoute(
        .post(audit: "user.create"), "/users", id: "createUser", .users, scope: .admin,
        summary: "Create a person who signs in to the console",
        description: "The key must belong to the whole server. Nobody has a role by default.",
        response: "The person.", status: .created, errors: [.conflict], does: create
    )

    package static let listUsers = AdminRoute(
        .get, "/users", id: "listUsers", .users, scope: .admin, summary: "List the people who sign in to the console",
        description: "In the order in which they were made.", parameters: page.parameters, response: "One page.",
        does: list
    )

    package static let setPassword = AdminRoute(
        .put(audit: "user.password"), "/users/{user}/password", id: "setUserPassword", .users, scope: .admin,
        summary: "Set a person's password", description: "All sessions of the person end.",
        response: "The password was set.", errors: [.notFound]
    ) { (call: AdminCall<SetPasswordRequest>) -> Done<NoBody> in
        let name = try manager(call).part("user")
        try await call.services.users.setPassword(try await call.body().password, of: name)
        return Done(to: nil)
    }

    package static let deleteUser = AdminRoute(
        .delete(audit: "user.delete"), "/users/{user}", id: "deleteUser", .users, scope: .admin,
        summary: "Delete a person who signs in", description: "All sessions of the person end.",
        response: "The person was deleted.", errors: [.notFound]
    ) { (call: AdminCall<NoBody>) -> Done<NoBody> in
        let name = try manager(call).part("user")
        try await call.services.users.remove(name)
        return Done(to: nil)
    }

    package static let setRole = AdminRoute(
        .put(audit: "user.role"), inApp: "/users/{user}", id: "setUserRole", .users, scope: .admin,
        summary: "Give a person a role in the app", description: "All sessions of the person end.",
        response: "The role was given."
    ) { (call: AdminCall<SetUserRoleRequest>, app: AppService.App) -> Done<NoBody> in
        try await call.services.users.setRole(try await call.body().role, of: try call.part("user"), in: app)
        return Done(to: nil)
    }

    package static let removeRole = AdminRoute(
        .delete(audit: "user.role"), inApp: "/users/{user}", id: "removeUserRole", .users, scope: .admin,
        summary: "Take a person's role in the app away", description: "All sessions of the person end.",
        response: "The person has no role in the app."
    ) { (call: AdminCall<NoBody>, app: AppService.App) -> Done<NoBody> in
        try await call.services.users.setRole(nil, of: try call.part("user"), in: app)
        return Done(to: nil)
    }

    /// The call, when its key belongs to the whole server.
    private static func manager<Body>(_ call: AdminCall<Body>) throws -> AdminCall<Body> {
        guard call.context.principal.app == nil else {
            throw ServiceError.forbidden(code: "forbidden", message: "This key belongs to one app.")
        }
        return call
    }

    private static func create(_ call: AdminCall<CreateUserRequest>) async throws -> Done<UserResponse> {
        let body = try await manager(call).body()
        var roles: [Int64: UserRole] = [:]
        for (code, role) in body.roles ?? [:] { roles[try await call.services.apps.find(code).id] = role }
        let user = try await call.services.users.create(
            name: body.name, displayName: body.displayName, password: body.password,
            isOperator: body.isOperator ?? false, roles: roles
        )
        let response = UserResponse(user, roles: body.roles ?? [:])
        // The log names people by number: a name may be an address of a person who leaves.
        return Done(response, to: String(user.id))
    }

    private static func list(_ call: AdminCall<NoBody>) async throws -> Done<UserListResponse> {
        let page = try manager(call).page(Self.page)
        let found = try await call.services.users.list(after: page.number(), limit: page.limit + 1)
        let codes = try await codes(of: found, call.services)
        let shown = found.prefix(page.limit)
        return Done(
            UserListResponse(
                users: shown.map { person in
                    UserResponse(
                        person.user,
                        roles: Dictionary(
                            person.roles.compactMap { app, role in codes[app].map { ($0, role) } }
                        ) { first, _ in first }
                    )
                },
                cursor: found.count > page.limit ? shown.last.map { String($0.user.id) } : nil
            )
        )
    }

    private static func codes(
        of people: [UserService.Person], _ services: APIServices
    ) async throws -> [Int64: String] {
        let wanted = Set(people.flatMap(\.roles.keys))
        return try await services.apps.codes(of: wanted)
    }
}

extension UserResponse {
    init(_ user: UserService.User, roles: [String: UserRole]) {
        self.init(
            name: user.name, displayName: user.displayName, isOperator: user.isOperator,
            hasPassword: user.password != nil, roles: roles, createdAt: Timestamp.text(user.createdAt)
        )
    }
}
