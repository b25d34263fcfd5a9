import BelfryServerTestSupport
import BelfryStore
import Testing

@testable import BelfryServices

@Suite("CON-3: what is proven by a password counts only as long as it is the person's")
struct PasswordChangeTests {
    private static let former = "the former password"
    private static let present = "the present password"

    /// A server on which Anna signs in by the former password. Hashing is cheap here.
    private struct Accounts {
        let world: ServiceWorld
        let hasher = PasswordHasher(cost: PasswordHash.Cost(logRounds: 4, blockSize: 8, parallelism: 1))
        let users: UserService
        let signIn: SignInService
        let anna: UserRow

        init() async throws {
            world = try await ServiceWorld()
            users = UserService(database: world.database, environment: world.environment, hasher: hasher)
            signIn = SignInService(
                database: world.database, environment: world.environment, hasher: hasher, keys: world.keys
            )
            anna = try await users.create(
                name: "anna", displayName: nil, password: PasswordChangeTests.former, isOperator: false, roles: [:]
            )
        }

        /// A database on which something happens right after the row of a person was read, before its hash is compared.
        func interrupted(by action: @escaping @Sendable () async throws -> Void) -> InterruptedDatabase {
            InterruptedDatabase(world.database, after: "UserRow", action: action)
        }
    }

    @Test("CON-3: a sign-in under way with the former password begins no session once the password was changed")
    func signInUnderWay() async throws {
        let accounts = try await Accounts()
        defer { withExtendedLifetime(accounts) {} }
        let (users, anna) = (accounts.users, accounts.anna)
        let database = accounts.interrupted { try await users.setPassword(Self.present, of: "anna") }
        let slow = SignInService(
            database: database, environment: accounts.world.environment, hasher: accounts.hasher,
            keys: accounts.world.keys
        )
        await #expect(throws: ServiceError.self) {
            try await slow.signIn(name: "anna", password: Self.former, from: nil, agent: "test")
        }
        #expect(try await accounts.signIn.sessions(of: anna.id).isEmpty)
        _ = try await slow.signIn(name: "anna", password: Self.present, from: nil, agent: "test")
        #expect(try await accounts.signIn.sessions(of: anna.id).count == 1)
    }

    @Test("CON-3: of two changes at once by the same password one is done, and the other is refused")
    func twoChanges() async throws {
        let accounts = try await Accounts()
        defer { withExtendedLifetime(accounts) {} }
        let users = accounts.users
        let me = try await accounts.signIn.begin(for: accounts.anna.id, agent: "test").user
        let database = accounts.interrupted {
            _ = try await users.changePassword(of: me, from: Self.former, to: Self.present)
        }
        let slow = UserService(database: database, environment: accounts.world.environment, hasher: accounts.hasher)
        await #expect(throws: ServiceError.self) {
            try await slow.changePassword(of: me, from: Self.former, to: "somebody else's password")
        }
        _ = try await accounts.signIn.signIn(name: "anna", password: Self.present, from: nil, agent: "test")
    }

    @Test("CON-3: the browser that has changed a password goes on only if nobody has changed it again")
    func changedAgain() async throws {
        let accounts = try await Accounts()
        defer { withExtendedLifetime(accounts) {} }
        let (users, signIn, anna) = (accounts.users, accounts.signIn, accounts.anna)
        let me = try await signIn.begin(for: anna.id, agent: "test").user
        let hash = try await users.changePassword(of: me, from: Self.former, to: Self.present)
        try await users.setPassword("what an operator has set", of: "anna")
        await #expect(throws: ServiceError.self) {
            try await signIn.begin(for: anna.id, provenBy: hash, agent: "test")
        }
        #expect(try await signIn.sessions(of: anna.id).isEmpty)
    }
}
