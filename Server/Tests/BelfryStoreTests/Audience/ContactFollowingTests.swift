import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// SEC-9: anybody may link any number of installations to a contact of an app whose contacts are open.
@Suite("A contact with very many devices")
struct ContactFollowingTests {
    private static let app: Int64 = 1
    private static let page = AudienceRepository.maximumRows
    private static let devices = 2 * page + 50

    /// A store with a contact that has so many devices.
    private static func store(_ engine: Engine, devices count: Int) async throws -> (TestStore, Int64) {
        let store = try await TestStore.withApps(engine)
        let contact = try await store.write { connection in
            try connection.attributes.define(AttributeKey("city"), type: .string, app: app, now: storeEpoch)
            let contact = try connection.contacts.findOrInsert(app: app, key: "anna", known: true, now: storeEpoch)
            for id in try connection.makeDevices(count, app: app) {
                guard var device = try connection.devices.find(id: id) else { continue }
                device.contact = contact
                try connection.devices.save(device)
            }
            return contact
        }
        return (store, contact)
    }

    @Test("SEC-9: a change writes a limited number of audience rows at once; others follow", arguments: Engine.allCases)
    func pages(_ engine: Engine) async throws {
        let (store, contact) = try await Self.store(engine, devices: Self.devices)
        let (written, kept, rebuilt) = try await store.write { connection in
            var written: [Int] = []
            try connection.set("Paris", of: contact)
            repeat {
                written.append(try connection.rows(of: Self.app, in: "Paris"))
            } while try connection.follow() && written.count < 9
            let kept = try connection.audienceRows(of: Self.app)
            try connection.audiences.rebuild(app: Self.app)
            return (written, kept, try connection.audienceRows(of: Self.app))
        }
        #expect(written == [0, Self.page, 2 * Self.page, Self.devices])
        #expect(kept == rebuilt)
    }

    @Test("SEC-9: a change amid the walk has another one follow, and holds nobody's row up", arguments: Engine.allCases)
    func changes(_ engine: Engine) async throws {
        let (store, contact) = try await Self.store(engine, devices: Self.devices)
        let (first, second, isDone) = try await store.write { connection in
            try connection.set("Paris", of: contact)
            _ = try connection.follow()
            // More than one change costs no more than one.
            for city in ["Rome", "Oslo"] { try connection.set(city, of: contact) }
            for _ in 0..<2 { _ = try connection.follow() }
            let first = try ["Paris", "Oslo"].map { try connection.rows(of: Self.app, in: $0) }
            for _ in 0..<3 { _ = try connection.follow() }
            return (first, try connection.rows(of: Self.app, in: "Oslo"), try !connection.follow())
        }
        #expect(first == [Self.page, Self.devices - Self.page])
        #expect(second == Self.devices && isDone)
    }

    @Test("PERF-6: with as many devices as are written at once nothing has to follow", arguments: Engine.allCases)
    func atOnce(_ engine: Engine) async throws {
        let (store, contact) = try await Self.store(engine, devices: Self.page)
        let (written, isDone) = try await store.write { connection in
            try connection.set("Paris", of: contact)
            return (try connection.rows(of: Self.app, in: "Paris"), try !connection.follow())
        }
        #expect(written == Self.page && isDone)
    }

    @Test("SEC-9: a contact that very many devices have left is no orphan", arguments: Engine.allCases)
    func formerDevices(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (orphans, ties) = try await store.write { connection in
            let limit = OrphanedContactRepository.maximumFormerDevices
            let devices = try connection.makeDevices(limit + 1, app: Self.app)
            let contacts = try ["few", "many"].map {
                try connection.contacts.findOrInsert(app: Self.app, key: $0, known: true, now: storeEpoch)
            }
            for device in devices { try connection.formerDevices.insert(device, of: contacts[1], app: Self.app) }
            for device in devices.prefix(limit) {
                try connection.formerDevices.insert(device, of: contacts[0], app: Self.app)
            }
            let page = try connection.orphanedContacts.list(app: Self.app, before: nil, limit: 9)
            return (page.contacts.map(\.key), try contacts.map { try connection.orphanedContacts.ties(of: $0) })
        }
        #expect(orphans == ["few"])
        #expect(ties.map { $0?.isOrphan } == [true, false])
        #expect(ties[1]?.isLarge == true && ties[1]?.events == false)
    }
}

extension SQLConnection {
    fileprivate func set(_ city: String, of contact: Int64) throws {
        guard var row = try contacts.find(id: contact) else { return }
        row.attributes["city"] = .string(city)
        try contacts.save(row, now: storeEpoch)
    }

    fileprivate func rows(of app: Int64, in city: String) throws -> Int {
        try audienceRows(of: app).filter { $0.contains(city) }.count
    }

    /// One page, as the follower does it; false when no contact is behind.
    fileprivate func follow() throws -> Bool {
        guard let next = try contactFollowings.next(after: .min, for: "test", now: storeEpoch) else { return false }
        let devices = try contactFollowings.devices(of: next)
        let reached = devices.count < AudienceRepository.maximumRows ? nil : devices.last
        guard try contactFollowings.advance(next, to: reached) else { return false }
        try audiences.catchUp(devices, with: next.contact, app: next.app)
        return true
    }
}
