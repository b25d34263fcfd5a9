import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

struct AdminAccessTests {
    @Test("ADM-1: the root key may do everything to every app")
    func root() async throws {
        let world = try await ServiceWorld()
        let principal = try await world.access.principal(bearer: TestKeys.rootKey)
        #expect(principal.name == "root" && principal.app == nil)
        for scope in AdminScope.allCases {
            #expect(throws: Never.self) { try principal.require(scope, app: world.app) }
        }
    }

    @Test("ADM-1: an app's key may do everything to that app, and nothing to another")
    func appKey() async throws {
        let world = try await ServiceWorld()
        let other = try await world.apps.create(code: "other", name: "Other")
        #expect(world.apiKey != other.apiKey && world.apiKey.count >= AdminAccess.minimumKeyLength)
        let principal = try await world.access.principal(bearer: world.apiKey)
        for scope in AdminScope.allCases {
            #expect(throws: Never.self) { try principal.require(scope, app: world.app) }
            #expect(await errorCode { try principal.require(scope, app: other.app) } == "forbidden")
        }
    }

    @Test(
        "ADM-1: a key may do what its scope and the narrower ones allow, and no more",
        arguments: [
            (AdminScope.read, [AdminScope.read]), (.campaign, [.read, .campaign]),
            (.admin, [.read, .campaign, .admin]),
        ])
    func scopes(_ scope: AdminScope, _ granted: [AdminScope]) async throws {
        let world = try await ServiceWorld()
        let key = "bk_of-a-test-with-one-scope-\(scope.rawValue)"
        let app = world.app.id
        try await world.database.write { connection in
            _ = try connection.adminKeys.insert(
                hash: AdminAccess.hash(key), app: app, scopes: [scope.rawValue, "unknown"], now: ServiceWorld.epoch
            )
        }
        let principal = try await world.access.principal(bearer: key)
        for other in AdminScope.allCases {
            let code = await errorCode { try principal.require(other, app: world.app) }
            #expect(code == (granted.contains(other) ? nil : "forbidden"))
        }
    }

    @Test("ADM-1: no key, an unknown and a revoked one are refused")
    func rejections() async throws {
        let world = try await ServiceWorld()
        for bearer in [
            nil, "", "unknown", String(TestKeys.rootKey.dropLast()), TestKeys.rootKey + " ", world.apiKey.uppercased(),
        ] {
            #expect(await errorCode { try await world.access.principal(bearer: bearer) } == "unauthorized")
        }
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE admin_keys SET revoked_at = ?", [.date(ServiceWorld.epoch)])
        }
        #expect(await errorCode { try await world.access.principal(bearer: world.apiKey) } == "unauthorized")
    }

    @Test("ADM-1: only the hashes of keys are stored")
    func hashes() async throws {
        let world = try await ServiceWorld()
        let stored = try await world.database.read { connection in
            try connection.query("SELECT key_hash, scopes FROM admin_keys", []) { ($0.blob(0), $0.text(1)) }
        }
        #expect(stored.count == 1)
        #expect(stored[0].0.count == 32)
        #expect(!String(decoding: stored[0].0, as: UTF8.self).contains(world.apiKey.suffix(20)))
    }

    @Test("ADM-1: use is written to the audit log, by whom, of what and when, without the key")
    func audit() async throws {
        let world = try await ServiceWorld()
        let principal = try await world.access.principal(bearer: world.apiKey)
        try await world.access.audit(principal, action: "campaign.launch", app: world.app.code, target: "7")
        let entries = try await world.database.read { try $0.audit.newest(9) }
        #expect(
            entries == [
                AuditEntry(
                    at: ServiceWorld.epoch, actor: principal.name, app: "shop", action: "campaign.launch", target: "7")
            ]
        )
        #expect(!principal.name.contains(world.apiKey))
    }

    @Test("ADM-2: an app's code is unique and well-formed, and its name is not blank")
    func apps() async throws {
        let world = try await ServiceWorld()
        #expect(await errorCode { try await world.apps.create(code: "shop", name: "Again") } == "conflict")
        #expect(await errorCode { try await world.apps.create(code: "a b", name: "Shop") } == "invalidAppCode")
        #expect(await errorCode { try await world.apps.create(code: "new", name: "  ") } == "invalidLength")
        #expect(await errorCode { try await world.apps.find("nowhere") } == "unknownApp")
        #expect(await errorCode { try await world.apps.find("'; DROP TABLE apps; --") } == "unknownApp")
        #expect(try await world.apps.find("shop").id == world.app.id)
        let apps = try await world.apps.list(only: nil, after: nil, limit: 9).apps
        #expect(apps.map(\.code.rawValue) == ["shop"])
    }
}
