import BelfryModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// SEC-9: names that nobody has cost no look into the store each.
@Suite("Unknown names")
struct UnknownNameTests {
    private static func services(_ world: ServiceWorld, _ database: any SQLDatabase) -> (AppService, AdminAccess) {
        let hashes = KnownNames<[UInt8]>()
        let apps = AppService(
            database: database, environment: world.environment, vault: CredentialVault(keys: world.keys),
            endpointPolicy: .publicOnly, keyHashes: hashes
        )
        let access = AdminAccess(
            rootKey: TestKeys.rootKey, database: database, environment: world.environment, hashes: hashes
        )
        return (apps, access)
    }

    @Test("SEC-9: thousands of unknown codes and keys cost some fifty lookups a second")
    func bounded() async throws {
        let world = try await ServiceWorld()
        let database = CountingDatabase(world.database)
        let (apps, access) = Self.services(world, database)
        for second in 1...3 {
            for number in 0..<1_000 {
                #expect(await errorCode { try await apps.find("code-\(number)") } == "unknownApp")
                #expect(await errorCode { try await access.principal(bearer: "key-\(number)") } == "unauthorized")
            }
            #expect(database.count <= second * 110, "\(database.count)")
            world.clock.advance(by: 1)
        }
    }

    @Test("SEC-9: meanwhile existing names are found, and new ones of this process count at once")
    func made() async throws {
        let world = try await ServiceWorld()
        let (apps, access) = Self.services(world, world.database)
        func flood() async throws {
            for number in 0..<200 {
                _ = await errorCode { try await apps.find("code-\(number)") }
                _ = await errorCode { try await access.principal(bearer: "key-\(number)") }
            }
        }
        try await flood()
        #expect(try await apps.find("shop").id == world.app.id)
        #expect(try await access.principal(bearer: world.apiKey).app == world.app.id)
        #expect(try await access.principal(bearer: TestKeys.rootKey).name == "root")
        let (app, key) = try await apps.create(code: "new", name: "New")
        #expect(try await apps.find("new").id == app.id)
        #expect(try await access.principal(bearer: key).app == app.id)
        try await flood()
        // An app that another process creates is known after a second at the latest.
        let (other, otherKey) = try await world.apps.create(code: "other", name: "Other")
        world.clock.advance(by: 1)
        #expect(try await apps.find("other").id == other.id)
        #expect(try await access.principal(bearer: otherKey).app == other.id)
    }

    @Test("SEC-9: all names are read once a second, however many lookups fail, and whatever the result")
    func once() {
        let names = KnownNames<String>()
        let tooMany = (0...KnownNames<String>.maximumCount).map { "name-\($0)" }
        for second in 0..<3 {
            let now = ServiceWorld.epoch.addingTimeInterval(Double(second))
            var tickets: [Int] = []
            for _ in 0..<1_000 {
                if let ticket = names.miss(now: now) { tickets.append(ticket) }
            }
            #expect(tickets.count == 1)
            for ticket in tickets { names.keep(tooMany, now: now, ticket: ticket) }
            #expect(names.miss(now: now) == nil)
            #expect(!names.rejects("nobody", now: now))
        }
    }

    @Test("SEC-9: while there are few unknown names, another process's names count at once")
    func others() async throws {
        let world = try await ServiceWorld()
        let (apps, access) = Self.services(world, world.database)
        for number in 0..<20 {
            #expect(await errorCode { try await apps.find("app-\(number)") } == "unknownApp")
            let (app, key) = try await world.apps.create(code: "app-\(number)", name: "App")
            #expect(try await apps.find("app-\(number)").id == app.id)
            #expect(try await access.principal(bearer: key).app == app.id)
        }
    }
}
