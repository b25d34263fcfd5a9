import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// The first links of new installations are made together, and come to what each would have come to by itself.
struct FirstLinkTests {
    private static func first(
        _ world: ServiceWorld, _ number: Int, key: String? = nil, limits: RequestLimits? = nil
    ) throws -> FirstLink {
        var caller = try ServiceDevice(world, number).caller()
        caller.linkBudget = limits?.linkBudget(of: caller)
        let target: LinkDestination =
            if let key {
                .named(key: key, party: nil)
            } else {
                .anonymous(isFresh: false, key: ContactKey.anonymousPrefix + world.environment.uuid().uuidString)
            }
        let secret = "secret of \(number)"
        return try #require(FirstLink(caller, to: target, secret: secret, now: world.clock.now, keys: world.keys))
    }

    private static func make(
        _ links: [FirstLink], in world: ServiceWorld
    ) async throws -> [Result<DeviceRow?, any Error>] {
        try await world.database.write { try FirstLink.make(links, in: $0) }
    }

    @Test("FLEET-4: first links that wait together take four round trips, however many there are", arguments: [2, 100])
    func roundTrips(_ count: Int) async throws {
        let world = try await ServiceWorld(.postgres)
        var least = Int.max
        for time in 0..<4 {
            let links = try (0..<count).map { number in
                let key = number.isMultiple(of: 2) ? "person-\(time)-\(number)" : nil
                return try Self.first(world, 1 + time * count + number, key: key)
            }
            let before = try #require(TestPostgres.roundTrips(of: world.database))
            let made = try await Self.make(links, in: world)
            least = min(least, try #require(TestPostgres.roundTrips(of: world.database)) - before)
            let devices = try made.compactMap { try $0.get() }
            #expect(devices.count == count)
        }
        // What is there, the contacts, the devices, the commit with the rest. On a cluster the contacts get their numbers
        // and their keys before.
        #expect(least == (TestPostgres.isDistributed ? 6 : 4))
        #expect(try await world.rows("devices") == 4 * count)
    }

    /// What is stored of a device, but for numbers, names and the moment of the last change.
    private struct Stored: Equatable {
        let device: [String?]
        let audience: [String?]
        let links: [String?]
        let tokens: [String?]
        let contact: [String?]
    }

    private static func stored(_ device: Int64, in world: ServiceWorld) async throws -> Stored {
        let app = world.app.id
        return try await world.database.read { connection in
            func row(_ columns: [String], _ rest: String) throws -> [String?] {
                let list = columns.joined(separator: ", ")
                let sql = SQLText(ofTest: "SELECT /* stored, as a test sees it */ \(list) FROM \(rest)")
                let rows = try connection.query(sql, []) { found in
                    columns.indices.map { found.isNull($0) ? nil : found.text($0) }
                }
                return Array(rows.joined())
            }
            let own = [
                "app_id", "link_generation", "confirmed_generation", "push_token", "push_provider",
                "push_environment", "token_at", "push_enabled", "os_push_enabled", "opt_out_reason", "opt_out_at",
                "platform", "os_version", "app_version", "sdk_version", "device_model", "locale", "time_zone",
                "last_opened_at", "revision", "applied", "token_order", "properties_order", "contact_order",
                "created_at", "epoch", "token_generation", "properties_generation", "contact_generation",
                "order_epoch", "v3_version", "v3_channel", "tag_contact_id", "tag_generation",
            ]
            return Stored(
                device: try row(own, "devices WHERE id = \(device)"),
                audience: try row(
                    ["a.known", "a.push_opt_in", "a.last_opened_at", "a.platform", "a.locale", "a.time_zone"],
                    "audience_\(app) a JOIN devices d ON d.id = a.device_id AND d.contact_id = a.contact_id "
                        + "WHERE a.device_id = \(device)"
                ),
                links: try row(
                    ["k.at", "k.began", "k.cause"],
                    "contact_links k JOIN devices d ON d.id = k.device_id AND d.contact_id = k.contact_id "
                        + "WHERE k.device_id = \(device)"
                ),
                tokens: try row(["generation", "created_at"], "refresh_tokens WHERE device_id = \(device)"),
                contact: try row(
                    [
                        "c.app_id", "c.known", "c.attributes", "c.party", "c.merged_into", "c.created_at",
                        "c.updated_at",
                    ],
                    "contacts c WHERE c.id IN (SELECT contact_id FROM devices WHERE id = \(device))"
                )
            )
        }
    }

    /// The other way is taken by a device that is there and that nobody has linked.
    @Test("WIRE-2, ID-1: a new installation has what one has that was there before its link", arguments: [false, true])
    func sameRows(_ isNamed: Bool) async throws {
        let world = try await ServiceWorld()
        // Its clock is ahead, which counts for nobody who has shown nothing.
        let order = world.clock.now.milliseconds + 200_000
        var new = try ServiceDevice(world, 1)
        var other = try ServiceDevice(world, 2)
        let (app, client, now) = (world.app.id, other.client, world.clock.now)
        try await world.database.write { connection in
            _ = try connection.devices.insert(app: app, client: client, now: now)
        }
        if isNamed {
            try await new.identify("anna", order: order)
            try await other.identify("carl", order: order)
        } else {
            try await new.linkAnonymously(order: order)
            try await other.linkAnonymously(order: order)
        }
        let first = try await Self.stored(new.authenticated().device, in: world)
        let second = try await Self.stored(other.authenticated().device, in: world)
        #expect(first == second)
        let parts = [first.device, first.audience, first.links, first.tokens, first.contact]
        let areThere = parts.allSatisfy { !$0.isEmpty }
        #expect(areThere)
        // Both go on.
        try await new.track(.test("e1"))
        try await new.refresh()
        try await new.identify("bert")
        #expect(try await new.contactKey == "bert")
    }

    @Test("WIRE-20, REG-36: of links that are made together each comes to what it would have come to alone")
    func together() async throws {
        let world = try await ServiceWorld()
        let linked = try await ServiceDevice.started(world, 1)
        let known = try await ServiceDevice.registered(world, 2, key: "anna")
        let (app, now) = (world.app.id, world.clock.now)
        let (erased, unlinked) = (try ServiceWorld.client(3), try ServiceWorld.client(4))
        try await world.database.write { connection in
            try connection.erasedDevices.insert([erased], app: app, now: now)
            _ = try connection.devices.insert(app: app, client: unlinked, now: now)
        }
        let before = try await (world.rows("devices"), world.rows("contacts"))
        let links = [
            try Self.first(world, 1), try Self.first(world, 3), try Self.first(world, 4),
            try Self.first(world, 5, key: "anna"), try Self.first(world, 6, key: "bert"),
            try Self.first(world, 7, key: "bert"), try Self.first(world, 6, key: "carl"),
        ]
        let made = try await Self.make(links, in: world)
        // By an id that somebody has, one is another installation.
        let impostor = try #require(try made[0].get())
        let owner = try await linked.row
        #expect(impostor.id != owner.id && impostor.contact != owner.contact && impostor.client == linked.client)
        let error = await errorCode { try made[1].get() }
        #expect(error == "erased")
        // What is there is for the other way.
        #expect(try made[2].get() == nil)
        #expect(try made[3].get() == nil)
        let rest = try made[4...].compactMap { try $0.get() }
        try #require(rest.count == 3)
        #expect(rest[0].contact == rest[1].contact && rest[0].contact != rest[2].contact)
        #expect(rest[0].client == rest[2].client && Set(rest.map(\.id)).count == 3)
        let after = try await (world.rows("devices"), world.rows("contacts"))
        #expect(after.0 == before.0 + 4 && after.1 == before.1 + 3)
        for device in [impostor] + rest {
            let found = try await world.database.read { try $0.devices.find(id: device.id) }
            #expect(found == device)
        }
        // And they get what they ask for by it.
        var free = try ServiceDevice(world, 4)
        try await free.linkAnonymously()
        #expect(try await world.rows("devices") == after.0)
        var second = try ServiceDevice(world, 5)
        try await second.identify("anna")
        let contacts = try await (known.row.contact, second.row.contact)
        #expect(contacts.0 == contacts.1)
    }

    @Test("SEC-9: of links that are made together those beyond a limit are refused, and leave nothing behind")
    func rejected() async throws {
        let world = try await ServiceWorld()
        let limits = RequestLimits(
            rates: RequestRates(perDevice: 600, limitsLoopback: false), proxies: .none, now: world.environment.now,
            metrics: world.metrics
        )
        let links = try (0..<40).map { _ in try Self.first(world, 1, limits: limits) }
        let made = try await Self.make(links, in: world)
        let granted = made.filter { (try? $0.get()) != nil }
        #expect(granted.count == 10)
        for result in made[10...] {
            let error = await errorCode { try result.get() }
            #expect(error == "tooManyRequests")
        }
        for table in ["devices", "contacts", "refresh_tokens", "contact_links"] {
            #expect(try await world.rows(table) == 10)
        }
    }

    @Test(
        "PERF-15, STO-2: links of new installations at the same time stand in nobody's way", .timeLimit(.minutes(10)))
    func undisturbed() async throws {
        // What other tests have left in a schema may count as a conflict: rows that the server cannot remove while some
        // transaction elsewhere lasts, and statistics that say little of this table.
        let world = try await ServiceWorld(.postgres, isRecycled: false)
        let links = world.links
        let callers = try (1...400).map { try ServiceDevice(world, $0).caller() }
        _ = try await links.linkAnonymously(ServiceDevice(world, 999).caller())
        let before = try #require(TestPostgres.repetitions(in: world.database))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in callers {
                group.addTask { _ = try await links.linkAnonymously(caller) }
            }
            try await group.waitForAll()
        }
        let after = try #require(TestPostgres.repetitions(in: world.database))
        #expect(after == before)
        #expect(try await world.rows("devices") == 401)
    }
}
