import BelfryModel
import BelfryStore
import Foundation

/// The people who may sign in to the console, their passwords and their roles (CON-3). Every change that takes a right
/// away ends the person's sessions.
package struct UserService: Sendable {
    package static let maximumDisplayNameLength = 100

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let hasher: PasswordHasher

    /// A person's record, for the layers above.
    package typealias User = UserRow

    /// A person and their roles, by app.
    package struct Person: Sendable {
        package let user: UserRow
        package let roles: [Int64: UserRole]
    }

    /// Creates a person who signs in with a password.
    ///
    /// - Parameters:
    ///   - password: nil: the person cannot sign in before one is set.
    ///   - roles: by the app's number.
    @discardableResult
    package func create(
        name rawName: String, displayName: String?, password: String?, isOperator: Bool, roles: [Int64: UserRole]
    ) async throws -> UserRow {
        let name = try Self.checked("name") { () throws(ValueError) in try UserName(rawName) }
        let shown = try Self.displayName(displayName ?? rawName)
        let hash = try await hashed(password)
        let now = environment.now()
        return try await database.write { connection in
            let id: Int64
            do {
                id = try connection.users.insert(
                    name: name.text, displayName: shown, password: hash, isOperator: isOperator, now: now
                )
            } catch StoreError.duplicate {
                throw ServiceError.conflict(message: "There is already a user named '\(name)'.")
            }
            for (app, role) in roles { try connection.users.setRole(role.rawValue, of: id, app: app) }
            guard let user = try connection.users.find(id: id) else {
                throw StoreError.corrupted(table: "users", key: name.text)
            }
            return user
        }
    }

    package func setPassword(_ password: String, of name: String) async throws {
        let hash = try await newHash(of: password)
        try await change(name) { $0.password = hash }
    }

    /// Changes a person's own password. They must know the present one. The write compares it again, because hashing
    /// takes time and another change may come first. All sessions of the person end.
    ///
    /// - Returns: the stored hash of the new password, with which a new session begins.
    package func changePassword(
        of user: SignedInUser, from present: String, to new: String
    ) async throws -> String {
        let row = try await database.read { try $0.users.find(id: user.id) }
        guard let row, try await hasher.matches(present, row.password) else { throw Self.notThePresentPassword }
        let hash = try await newHash(of: new)
        try await change(row.name) { user in
            guard user.id == row.id, user.password == row.password else { throw Self.notThePresentPassword }
            user.password = hash
        }
        return hash
    }

    private static var notThePresentPassword: ServiceError {
        .invalid("present", "wrongPassword", "This is not your present password.")
    }

    /// Changes a person's displayed name and their rights on the whole server. Taking a right away ends their sessions;
    /// a new displayed name does not.
    ///
    /// - Parameters:
    ///   - isDisabled: whether they cannot sign in.
    ///   - check: gets the person in the transaction, and refuses a change that was based on another state (CON-10).
    package func change(
        _ rawName: String, displayName: String, isOperator: Bool, isDisabled: Bool,
        unless check: @escaping @Sendable (UserRow) throws -> Void = { _ in }
    ) async throws {
        let shown = try Self.displayName(displayName)
        try await database.write { connection in
            let before = try Self.find(rawName, in: connection)
            try check(before)
            var user = before
            (user.displayName, user.isOperator, user.isDisabled) = (shown, isOperator, isDisabled)
            guard user != before else { return }
            try connection.users.save(user)
            guard user.isOperator != before.isOperator || user.isDisabled != before.isDisabled else { return }
            try connection.userSessions.deleteAll(of: user.id)
        }
    }

    /// Sets a person's role in an app. Another role, or the removal of the role, ends the person's sessions (CON-3). A
    /// first role does not, nor does a role of an operator, who is an admin in each app anyway: otherwise an admin of
    /// one app could sign out people who have nothing to do with it (SEC-12).
    ///
    /// - Parameters:
    ///   - role: nil removes the person's role in the app.
    ///   - check: gets the role in the transaction, and refuses a change that was based on another one (CON-10).
    /// - Returns: whether their sessions have ended.
    @discardableResult
    package func setRole(
        _ role: UserRole?, of rawName: String, in app: AppRecord,
        unless check: @escaping @Sendable (UserRole?) throws -> Void = { _ in }
    ) async throws -> Bool {
        try await database.write { connection in
            let user = try Self.find(rawName, in: connection)
            let present = try connection.users.roles(of: user.id).first { $0.app == app.id }?.role
            try check(present.flatMap(UserRole.init))
            guard present != role?.rawValue else { return false }
            try connection.users.setRole(role?.rawValue, of: user.id, app: app.id)
            guard present != nil, !user.isOperator else { return false }
            try connection.userSessions.deleteAll(of: user.id)
            return true
        }
    }

    package func remove(_ rawName: String) async throws {
        try await database.write { connection in
            let user = try Self.find(rawName, in: connection)
            try connection.userSessions.deleteAll(of: user.id)
            try connection.users.delete(user.id)
        }
    }

    package func find(_ rawName: String) async throws -> Person {
        try await database.read { connection in
            try Self.person(try Self.find(rawName, in: connection), in: connection)
        }
    }

    /// The person with this number.
    package func find(id: Int64) async throws -> Person {
        try await database.read { connection in
            guard let user = try connection.users.find(id: id) else {
                throw ServiceError.notFound(what: "user", id: String(id))
            }
            return try Self.person(user, in: connection)
        }
    }

    /// People in the order of their numbers. The list continues after the cursor, which is a number.
    package func list(after cursor: Int64?, limit: Int) async throws -> [Person] {
        try await database.read { connection in
            try connection.users.list(after: cursor, limit: limit).map { try Self.person($0, in: connection) }
        }
    }

    /// People with a role in the app.
    package func list(in app: AppRecord, after cursor: Int64?, limit: Int) async throws -> [Person] {
        try await database.read { connection in
            try connection.users.roles(app: app.id, after: cursor, limit: limit).compactMap { entry in
                try connection.users.find(id: entry.user).map { try Self.person($0, in: connection) }
            }
        }
    }

    private func change(_ rawName: String, _ body: @escaping @Sendable (inout UserRow) throws -> Void) async throws {
        try await database.write { connection in
            var user = try Self.find(rawName, in: connection)
            let before = user
            try body(&user)
            guard user != before else { return }
            try connection.users.save(user)
            try connection.userSessions.deleteAll(of: user.id)
        }
    }

    private func hashed(_ password: String?) async throws -> String? {
        guard let password else { return nil }
        return try await newHash(of: password)
    }

    private func newHash(of password: String) async throws -> String {
        try Self.checked("password") { () throws(ValueError) in try PasswordRule.check(password) }
        return try await hasher.hash(password, salt: environment.randomBytes(16))
    }

    static func displayName(_ raw: String) throws(ServiceError) -> String {
        let name = raw.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !name.isEmpty, name.unicodeScalars.count <= maximumDisplayNameLength,
            name.unicodeScalars.allSatisfy({ $0.value >= 32 })
        else {
            throw .invalid(
                "displayName", "invalidDisplayName",
                "A displayed name has 1 to \(maximumDisplayNameLength) characters, without control characters."
            )
        }
        return name
    }

    @discardableResult
    private static func checked<Value>(
        _ field: String, _ make: () throws(ValueError) -> Value
    ) throws(ServiceError) -> Value {
        do {
            return try make()
        } catch {
            throw .invalid(field: field, error)
        }
    }

    private static func find(_ rawName: String, in connection: any SQLConnection) throws -> UserRow {
        guard let name = try? UserName(rawName), let user = try connection.users.find(name: name.text) else {
            throw ServiceError.notFound(what: "user", id: String(rawName.prefix(UserName.maximumLength)))
        }
        return user
    }

    private static func person(_ user: UserRow, in connection: any SQLConnection) throws -> Person {
        let roles = try connection.users.roles(of: user.id).compactMap { entry in
            UserRole(rawValue: entry.role).map { (entry.app, $0) }
        }
        return Person(user: user, roles: Dictionary(roles) { first, _ in first })
    }
}
