import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

@Suite("Admin keys of an app")
struct AdminKeyTests {
    private static func service(_ world: ServiceWorld) -> AdminKeyService {
        AdminKeyService(database: world.database, keys: world.keys, environment: world.environment)
    }

    @Test("ADM-6: an app has any number of keys, each with a scope, a label and an expiry; the list has no secret")
    func list() async throws {
        let world = try await ServiceWorld()
        let keys = Self.service(world)
        let end = world.clock.now.addingTimeInterval(60)
        var secrets: Set<String> = []
        for scope in AdminScope.allCases {
            let made = try await keys.create(scope: scope, label: "for \(scope)", expiresAt: end, app: world.app)
            #expect(made.key.scope == scope && made.key.label == "for \(scope)" && made.key.expiresAt == end)
            secrets.insert(made.secret)
            let principal = try await world.access.principal(bearer: made.secret)
            #expect(principal.name == made.key.name && principal.scopes == [scope])
            #expect(principal.app == world.app.id)
        }
        #expect(secrets.count == 3)
        // Newest first, page by page; the app came with one.
        let first = try await keys.list(app: world.app, before: nil, limit: 3)
        #expect(first.keys.map(\.scope) == [.admin, .campaign, .read])
        let second = try await keys.list(app: world.app, before: first.next, limit: 3)
        #expect(second.keys.map(\.scope) == [.admin] && second.keys[0].label == nil && second.next == nil)
        for secret in secrets {
            let traces = try await world.database.read { try $0.traces(of: secret, .ofThisRun) }
            #expect(traces == [], "only its hash is stored")
        }
        let other = try await world.apps.create(code: "other", name: "Other").app
        #expect(try await keys.list(app: other, before: nil, limit: 9).keys.count == 1)
    }

    @Test("CON-10, ADM-1, ADM-6: of calls with one form at once one makes the key, and it alone is told the secret")
    func form() async throws {
        let world = try await ServiceWorld()
        let keys = Self.service(world)
        let principal = AdminPrincipal(name: "user:ann", app: world.app.id, scopes: [.admin])
        let line = FormKey.Line("key.create", app: world.app.code)
        let form = try #require(FormKey("0123456789abcdef", of: principal, audit: line))
        let made: [String?] = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 1...6 {
                group.addTask {
                    try await keys.create(scope: .read, label: nil, expiresAt: nil, once: form, app: world.app).secret
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let secret = try #require(made.compactMap(\.self).first)
        #expect(made.count == 6 && made.count { $0 != nil } == 1)
        // Written with the key, by nobody who comes later.
        #expect(try await world.rows("audit_log", where: "action = 'key.create'") == 1)
        #expect(try await world.rows("audit_log", where: "actor = 'user:ann' AND app = 'shop'") == 1)
        #expect(try await keys.list(app: world.app, before: nil, limit: 9).keys.count == 2, "the app came with one")
        #expect(try await world.access.principal(bearer: secret).scopes == [.read])
        let traces = try await world.database.read { try $0.traces(of: secret, .ofThisRun) }
        #expect(traces == [])
        let other = try await world.apps.create(code: "other", name: "Other").app
        for (text, app) in [("0123456789abcdeg", world.app), ("0123456789abcdef", other)] {
            let form = try #require(FormKey(text, of: principal))
            let another = try await keys.create(scope: .read, label: nil, expiresAt: nil, once: form, app: app)
            #expect(another.secret != nil && another.secret != secret, "\(text)")
        }
        // A form that comes after a day makes nothing, and shows nothing.
        world.clock.advance(by: IdempotencyStore.lifetime)
        let late = await errorCode {
            try await keys.create(scope: .read, label: nil, expiresAt: nil, once: form, app: world.app)
        }
        #expect(late == "conflict")
    }

    @Test("ADM-6: a revoked key is refused at once by a process that has just used it; revoking again changes nothing")
    func revoked() async throws {
        let world = try await ServiceWorld()
        let keys = Self.service(world)
        let made = try await keys.create(scope: .admin, label: nil, expiresAt: nil, app: world.app)
        // Two processes, each with its own memory; the key is revoked through a third.
        let processes = [world.access, world.access]
        for process in processes { _ = try await process.principal(bearer: made.secret) }
        try await keys.revoke(made.key.name, app: world.app)
        for process in processes {
            #expect(await errorCode { try await process.principal(bearer: made.secret) } == "unauthorized")
        }
        let revokedAt = try await keys.list(app: world.app, before: nil, limit: 1).keys[0].revokedAt
        #expect(revokedAt == world.clock.now)
        world.clock.advance(by: 60)
        try await keys.revoke(made.key.name, app: world.app)
        #expect(try await keys.list(app: world.app, before: nil, limit: 1).keys[0].revokedAt == revokedAt)
    }

    @Test("ADM-6: a key is refused from its expiry on")
    func expired() async throws {
        let world = try await ServiceWorld()
        let end = world.clock.now.addingTimeInterval(60)
        let made = try await Self.service(world).create(scope: .read, label: nil, expiresAt: end, app: world.app)
        world.clock.advance(by: 59)
        _ = try await world.access.principal(bearer: made.secret)
        world.clock.advance(by: 1)
        #expect(await errorCode { try await world.access.principal(bearer: made.secret) } == "unauthorized")
    }

    @Test("ADM-6: another app's key, an unknown name, a bad label and an expiry in the past are refused by field")
    func rejections() async throws {
        let world = try await ServiceWorld()
        let keys = Self.service(world)
        let other = try await world.apps.create(code: "other", name: "Other").app
        let foreign = try await keys.create(scope: .read, label: nil, expiresAt: nil, app: other).key.name
        for name in [foreign, "key-999", "key-", "key-x", "7", ""] {
            #expect(await errorCode { try await keys.revoke(name, app: world.app) } == "notFound", "\(name)")
        }
        let before = try await world.rows("admin_keys")
        let now = world.clock.now
        await #expect(throws: ServiceError.self) {
            try await keys.create(scope: .read, label: "", expiresAt: now, app: world.app)
        }
        do {
            _ = try await keys.create(
                scope: .read, label: String(repeating: "x", count: 101), expiresAt: now, app: world.app
            )
        } catch ServiceError.invalidFields(let first, let others) {
            #expect(([first] + others).map(\.field) == ["label", "expiresAt"])
        }
        #expect(try await world.rows("admin_keys") == before)
    }
}
