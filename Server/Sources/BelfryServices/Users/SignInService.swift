import BelfryModel
import BelfryStore
import Crypto
import Foundation

/// A session of a person in a browser, as lists show it.
package typealias UserSession = UserSessionRow

/// Signs people in and manages their sessions (CON-3).
package struct SignInService: Sendable {
    /// How long a session lasts without a request, and how long at most, in seconds.
    static let idleLimit: TimeInterval = 12 * 3_600
    package static let maximumAge: TimeInterval = 14 * 86_400
    /// A session's last request is stored at most this often, in seconds.
    static let seenInterval: TimeInterval = 60
    /// The most sessions of a person. A further one ends the oldest (SEC-2).
    package static let maximumSessions = 50
    static let maximumAgentLength = 200

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let hasher: PasswordHasher
    let limits: SignInLimits
    private let keys: ServerKeys

    /// A new session.
    package struct SignedIn: Sendable {
        package let user: SignedInUser
        /// The cookie. It is returned only here; the store has its hash.
        package let token: String
        package let expires: Date
    }

    init(database: any SQLDatabase, environment: ServerEnvironment, hasher: PasswordHasher, keys: ServerKeys) {
        self.keys = keys
        self.database = database
        self.environment = environment
        self.hasher = hasher
        limits = SignInLimits(now: environment.now)
    }

    /// Signs in with a password. A wrong name and a wrong password give the same error after the same work.
    ///
    /// - Parameters:
    ///   - address: the address whose attempts are counted. Nil when they are not.
    ///   - agent: the browser's `User-Agent`.
    package func signIn(
        name rawName: String, password: String, from address: IPAddress?, agent: String
    ) async throws -> SignedIn {
        let name = try? UserName(rawName)
        try limits.attempt(name: name?.text, address: address)
        let user: UserRow? =
            if let name { try await database.read { try $0.users.find(name: name.text) } } else { nil }
        let isRight = try await hasher.matches(password, user?.password)
        guard isRight, let user, !user.isDisabled else { throw Self.wrongPassword }
        limits.succeeded(name: user.name, address: address)
        return try await begin(for: user.id, provenBy: user.password, agent: agent)
    }

    /// Counts an attempt of a person at their own password in a session, like one at the sign-in. So somebody who has
    /// taken over a session can neither guess the password nor keep the hashing busy for others (SEC-2).
    package func attempt(by user: SignedInUser, from address: IPAddress?) throws(ServiceError) {
        try limits.attempt(name: user.name, address: address)
    }

    /// Begins a session of a person who has proven who they are.
    ///
    /// - Parameter password: the stored hash of the password that proved it. Nil: something else proved it. A new
    ///   password ends all sessions, and comparing takes time, so a password that was changed meanwhile begins no
    ///   session.
    package func begin(
        for user: Int64, provenBy password: String? = nil, agent: String
    ) async throws -> SignedIn {
        let token = SessionToken.make(environment.randomBytes(SessionToken.randomLength), key: keys.session)
        let hash = Self.hash(token)
        let now = environment.now()
        let expires = now.addingTimeInterval(Self.maximumAge)
        let agent = Self.shortened(agent)
        let found = try await database.write { connection in
            try connection.userSessions.deleteExpired(now: now)
            guard let row = try connection.users.find(id: user), !row.isDisabled else {
                throw ServiceError.unauthorized(code: "unknownUser", message: "This person no longer exists.")
            }
            if let password, row.password != password { throw Self.wrongPassword }
            try connection.userSessions.insert(hash: hash, user: user, agent: agent, now: now, expires: expires)
            try connection.userSessions.deleteOldest(of: user, keeping: Self.maximumSessions)
            guard let session = try connection.userSessions.find(hash: hash) else {
                throw StoreError.corrupted(table: "user_sessions", key: row.name)
            }
            return try Self.signedIn(row, session: session.id, token: token, in: connection)
        }
        return SignedIn(user: found, token: token, expires: expires)
    }

    /// The person with this cookie. Nil when the session has ended. A cookie that this server has not made is rejected
    /// without a lookup in the store.
    ///
    /// - Parameter isRequest: whether this counts as a use that prolongs the session.
    package func user(token: String, isRequest: Bool = true) async throws -> SignedInUser? {
        guard SessionToken.isGenuine(token, key: keys.session) else { return nil }
        let hash = Self.hash(token)
        let now = environment.now()
        let found: (user: SignedInUser, isSeen: Bool)? = try await database.glance { connection in
            guard let session = try connection.userSessions.find(hash: hash), session.expiresAt > now,
                session.seenAt.addingTimeInterval(Self.idleLimit) > now,
                let row = try connection.users.find(id: session.user), !row.isDisabled
            else { return nil }
            let user = try Self.signedIn(row, session: session.id, token: token, in: connection)
            return (user, session.seenAt.addingTimeInterval(Self.seenInterval) > now)
        }
        guard let found else { return nil }
        if isRequest, !found.isSeen {
            let session = found.user.session
            // The request succeeds even if the disk is full; then the session ends by its idle time.
            try? await database.write { try $0.userSessions.see(session, now: now) }
        }
        return found.user
    }

    package func signOut(_ user: SignedInUser) async throws {
        try await end(user.session, of: user.id)
    }

    /// The person's active sessions, newest first.
    package func sessions(of user: Int64) async throws -> [UserSession] {
        let now = environment.now()
        return try await database.read { try $0.userSessions.list(user: user, limit: Self.maximumSessions) }
            .filter { $0.expiresAt > now && $0.seenAt.addingTimeInterval(Self.idleLimit) > now }
    }

    package func end(_ session: Int64, of user: Int64) async throws {
        try await database.write { try $0.userSessions.delete(session, of: user) }
    }

    package func endAll(of user: Int64) async throws {
        try await database.write { try $0.userSessions.deleteAll(of: user) }
    }

    private static var wrongPassword: ServiceError {
        .unauthorized(
            code: "wrongPassword", message: "The name or the password is wrong. Names are not case-sensitive."
        )
    }

    private static func signedIn(
        _ row: UserRow, session: Int64, token: String, in connection: any SQLConnection
    ) throws -> SignedInUser {
        let roles = try connection.users.roles(of: row.id).compactMap { entry in
            UserRole(rawValue: entry.role).map { (entry.app, $0) }
        }
        return SignedInUser(
            id: row.id, name: row.name, displayName: row.displayName, isOperator: row.isOperator,
            hasPassword: row.password != nil, roles: Dictionary(roles) { first, _ in first }, session: session,
            formToken: FormToken.make(session: token, user: row.id)
        )
    }

    static func hash(_ token: String) -> [UInt8] {
        Array(SHA256.hash(data: Data(token.utf8)))
    }

    private static func shortened(_ agent: String) -> String {
        String(String.UnicodeScalarView(agent.unicodeScalars.prefix(maximumAgentLength).filter { $0.value >= 32 }))
    }
}
