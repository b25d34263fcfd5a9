import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Testing

@testable import BelfryServices

@Suite("CON-10: two people change the same thing, and nobody's change is lost")
struct ConcurrentChangeTests {
    private struct Changed: Error {}

    @Test("CON-10: settings are changed only from the state that an editor has seen, and an app gets another name")
    func settings() async throws {
        let world = try await ServiceWorld()
        var change = AppSettingsChange()
        change.maxBadgeCount = .set(5)
        let seen = try await world.apps.stored(world.app)
        _ = try await world.apps.changeSettings(change, name: " The shop ", of: world.app) { stored in
            guard stored == seen else { throw Changed() }
        }
        let stored = try await world.apps.stored(world.app)
        #expect(stored.name == "The shop" && stored.settings.maxBadgeCount == 5)
        change.maxBadgeCount = .set(6)
        await #expect(throws: Changed.self) {
            _ = try await world.apps.changeSettings(change, name: "Mine", of: world.app) { stored in
                guard stored == seen else { throw Changed() }
            }
        }
        #expect(try await world.apps.stored(world.app) == stored)
        await #expect(throws: ServiceError.self) {
            _ = try await world.apps.changeSettings(AppSettingsChange(), name: "  ", of: world.app)
        }
    }

    @Test("CON-10: attributes are defined and removed only from the schema that an editor has seen")
    func attributes() async throws {
        let world = try await ServiceWorld()
        let check: @Sendable ([String: AttributeType]) throws -> Void = { schema in
            guard schema.isEmpty else { throw Changed() }
        }
        _ = try await world.apps.defineAttributes(
            [(key: "city", type: .string)], field: "attributes", app: world.app, unless: check
        )
        await #expect(throws: Changed.self) {
            _ = try await world.apps.defineAttributes(
                [(key: "city", type: .number)], field: "attributes", app: world.app, unless: check
            )
        }
        await #expect(throws: Changed.self) {
            _ = try await world.apps.removeAttribute("city", app: world.app, unless: check)
        }
        #expect(try await world.apps.attributes(of: world.app) == ["city": .string])
    }

    @Test("CON-10: credentials are replaced and removed only from those that an editor has seen")
    func credentials() async throws {
        let world = try await ServiceWorld()
        func revision() async throws -> CredentialRevision {
            try #require(try await world.apps.credentials(of: world.app).apns).revision
        }
        let seen = try await revision()
        #expect(CredentialRevision(text: seen.text) == seen && CredentialRevision(text: "none") == .nothing)
        #expect(CredentialRevision(text: "x") == nil)
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app, over: seen)
        for old in [seen, .nothing] {
            await #expect(throws: ServiceError.self) {
                try await world.apps.putAPNsCredentials(TestKeys.apns(), app: world.app, over: old)
            }
            await #expect(throws: ServiceError.self) {
                try await world.apps.removeCredentials(of: .apns, app: world.app, over: old)
            }
        }
        try await world.apps.removeCredentials(of: .apns, app: world.app, over: try await revision())
        #expect(try await world.apps.credentials(of: world.app).apns == nil)
    }

    @Test("CON-10: the server makes a key pair for Web Push once, and never over another one")
    func webPush() async throws {
        let world = try await ServiceWorld()
        let made = try await world.apps.makeWebPushCredentials(
            subject: "mailto:ops@example.com", trustRoots: nil, app: world.app
        )
        #expect(try await world.apps.credentials(of: world.app).webpush?.facts == made)
        await #expect(throws: ServiceError.self) {
            try await world.apps.makeWebPushCredentials(
                subject: "mailto:ops@example.com", trustRoots: nil, app: world.app)
        }
    }

    @Test("CON-10, CON-3: a role and an account are changed only from the state that an editor has seen")
    func people() async throws {
        let world = try await ServiceWorld()
        defer { withExtendedLifetime(world) {} }
        let users = UserService(
            database: world.database, environment: world.environment, hasher: PasswordHasher()
        )
        let anna = try await users.create(
            name: "anna", displayName: nil, password: nil, isOperator: false, roles: [world.app.id: .viewer]
        )
        try await users.setRole(.marketer, of: "anna", in: world.app) { present in
            guard present == .viewer else { throw Changed() }
        }
        await #expect(throws: Changed.self) {
            try await users.setRole(.admin, of: "anna", in: world.app) { present in
                guard present == .viewer else { throw Changed() }
            }
        }
        #expect(try await users.find(id: anna.id).roles == [world.app.id: .marketer])
        try await users.change("anna", displayName: "Anna", isOperator: true, isDisabled: false)
        await #expect(throws: Changed.self) {
            try await users.change("anna", displayName: "A", isOperator: false, isDisabled: true) { user in
                guard !user.isOperator else { throw Changed() }
            }
        }
        let now = try await users.find(id: anna.id).user
        #expect(now.displayName == "Anna" && now.isOperator && !now.isDisabled)
        await #expect(throws: ServiceError.self) { _ = try await users.find(id: anna.id + 1) }
    }

    @Test("CON-3: a new displayed name leaves a person signed in; a right that goes ends their sessions")
    func sessions() async throws {
        let world = try await ServiceWorld()
        defer { withExtendedLifetime(world) {} }
        let hasher = PasswordHasher()
        let users = UserService(database: world.database, environment: world.environment, hasher: hasher)
        let signIn = SignInService(
            database: world.database, environment: world.environment, hasher: hasher, keys: world.keys)
        let anna = try await users.create(
            name: "anna", displayName: nil, password: nil, isOperator: true, roles: [:]
        )
        _ = try await signIn.begin(for: anna.id, agent: "test")
        try await users.change("anna", displayName: "Anna", isOperator: true, isDisabled: false)
        #expect(try await signIn.sessions(of: anna.id).count == 1)
        try await users.change("anna", displayName: "Anna", isOperator: false, isDisabled: false)
        #expect(try await signIn.sessions(of: anna.id).isEmpty)
    }
    @Test("CON-3: what is set as it is ends no session; another role ends all of the person")
    func sameRole() async throws {
        let world = try await ServiceWorld()
        defer { withExtendedLifetime(world) {} }
        let hasher = PasswordHasher()
        let users = UserService(database: world.database, environment: world.environment, hasher: hasher)
        let signIn = SignInService(
            database: world.database, environment: world.environment, hasher: hasher, keys: world.keys)
        let anna = try await users.create(
            name: "anna", displayName: nil, password: nil, isOperator: false, roles: [world.app.id: .viewer]
        )
        for _ in 0..<2 { _ = try await signIn.begin(for: anna.id, agent: "test") }
        try await users.setRole(.viewer, of: "anna", in: world.app)
        try await users.change("anna", displayName: "anna", isOperator: false, isDisabled: false)
        #expect(try await signIn.sessions(of: anna.id).count == 2)
        try await users.setRole(.marketer, of: "anna", in: world.app)
        #expect(try await signIn.sessions(of: anna.id).isEmpty)
    }

    @Test("SEC-12, CON-3: a first role in an app ends no session, nor does any role of an operator; one that goes does")
    func rolesOfOthers() async throws {
        let world = try await ServiceWorld()
        defer { withExtendedLifetime(world) {} }
        let hasher = PasswordHasher()
        let users = UserService(database: world.database, environment: world.environment, hasher: hasher)
        let signIn = SignInService(
            database: world.database, environment: world.environment, hasher: hasher, keys: world.keys)
        func session(of name: String, isOperator: Bool) async throws -> Int64 {
            let id = try await users.create(
                name: name, displayName: nil, password: nil, isOperator: isOperator, roles: [:]
            ).id
            _ = try await signIn.begin(for: id, agent: "test")
            return id
        }
        let op = try await session(of: "op", isOperator: true)
        let roles: [UserRole?] = [.viewer, .admin, nil]
        for role in roles {
            #expect(try await users.setRole(role, of: "op", in: world.app) == false)
            #expect(try await signIn.sessions(of: op).count == 1)
        }
        let anna = try await session(of: "anna", isOperator: false)
        #expect(try await users.setRole(.viewer, of: "anna", in: world.app) == false)
        #expect(try await signIn.sessions(of: anna).count == 1)
        #expect(try await users.setRole(nil, of: "anna", in: world.app))
        #expect(try await signIn.sessions(of: anna).isEmpty)
    }
}
