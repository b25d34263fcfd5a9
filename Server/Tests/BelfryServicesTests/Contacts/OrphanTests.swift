import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct OrphanTests {
    @Test("REG-24: a contact with no device and no history is listed as orphaned, and can be removed")
    func orphan() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.tell([:], key: "anna", tags: ["sports"])
        #expect(try await world.contactKeys(orphaned: true) == [])
        try await device.identify("bert")
        #expect(try await world.contactKeys(orphaned: true) == ["anna"])
        #expect(try await world.contactKeys() == ["bert", "anna"])
        let number = try await world.contacts.removeOrphan("anna", app: world.app)
        #expect(number > 0)
        #expect(try await world.contactKeys() == ["bert"])
        #expect(try await world.rows("contact_tags") == 0)
        #expect(try await world.rows("former_devices", where: "contact_id = \(number)") == 0)
        // The anonymous contact that had become anna went with her.
        #expect(try await world.rows("contacts", where: "merged_into IS NOT NULL") == 0)
        let code = await errorCode { try await world.contacts.removeOrphan("anna", app: world.app) }
        #expect(code == "notFound")
    }

    @Test("REG-24: an orphan is removed by one write, and stays whole when that fails")
    func oneWrite() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.tell([:], key: "anna", tags: ["sports"])
        try await device.identify("bert")
        func traces() async throws -> [Int] {
            var counts: [Int] = []
            for table in ["contacts", "contact_tags", "contact_links", "former_devices"] {
                counts.append(try await world.rows(table))
            }
            return counts
        }
        let before = try await traces()
        let faulty = FaultyDatabase(world.database) { _ in throw StoreError.corrupted(table: "contacts", key: "anna") }
        let contacts = ContactService(database: faulty, environment: world.environment)
        await #expect(throws: StoreError.self) { try await contacts.removeOrphan("anna", app: world.app) }
        #expect(faulty.count == 1)
        #expect(try await traces() == before)
        #expect(try await world.contactKeys(orphaned: true) == ["anna"])
    }

    @Test("REG-24: a contact with a device, an event or a delivery is no orphan, and is not removed as one")
    func ties() async throws {
        let world = try await ServiceWorld()
        // Each leaves its contact with something else.
        var devices: [ServiceDevice] = []
        for (number, key) in ["with-device", "with-event", "with-delivery", "with-nothing"].enumerated() {
            devices.append(try await ServiceDevice.registered(world, number + 1, key: key))
        }
        try await devices[1].identify("with-event")
        try await devices[1].track(.test("e1"))
        let id = try await world.launch(audience: .contactKeys(["with-delivery"]))
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).audience == 1)
        for number in 1..<4 { try await devices[number].identify("elsewhere") }
        #expect(try await world.contactKeys(orphaned: true) == ["with-nothing"])
        for (key, tie) in [("with-device", "a device"), ("with-event", "events"), ("with-delivery", "deliveries")] {
            do {
                _ = try await world.contacts.removeOrphan(key, app: world.app)
                Issue.record("\(key) was removed")
            } catch ServiceError.conflict(let code, let message) {
                #expect(code == "conflict" && message.hasSuffix("has \(tie)."), "\(message)")
            }
        }
        #expect(try await world.contactKeys().count == 5)
        // A device that comes back ends the loneliness.
        try await devices[3].identify("with-nothing")
        #expect(try await world.contactKeys(orphaned: true) == [])
        #expect(
            await errorCode { try await world.contacts.removeOrphan("with-nothing", app: world.app) } == "conflict")
    }

    @Test("REG-24: pushes to a contact while it was anonymous are its history too")
    func anonymousDelivery() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        _ = try await world.launch()
        try await world.sendToTheEnd()
        try await device.identify("anna")
        try await device.identify("bert")
        #expect(try await world.contactKeys(orphaned: true) == [])
        #expect(await errorCode { try await world.contacts.removeOrphan("anna", app: world.app) } == "conflict")
    }

    @Test("ADM-3: contacts come newest first and page by page, of one app only")
    func pages() async throws {
        let world = try await ServiceWorld()
        let other = try await world.apps.create(code: "other", name: "Other").app
        for number in 1...7 {
            var device = try await ServiceDevice.registered(world, number, key: "key-\(number)")
            if number > 2 { try await device.identify("key-1") }
        }
        for (orphaned, expected) in [(false, 1...7), (true, 3...7)] {
            var seen: [String] = []
            var cursor: Int64?
            for _ in 0..<9 {
                let page = try await world.directory.contacts(
                    app: world.app, orphaned: orphaned, before: cursor, limit: 2
                )
                seen += page.contacts.map(\.key)
                guard let next = page.next else { break }
                cursor = next
            }
            #expect(seen == expected.reversed().map { "key-\($0)" })
            let none = try await world.directory.contacts(app: other, orphaned: orphaned, before: nil, limit: 9)
            #expect(none.contacts.isEmpty && none.next == nil)
        }
    }
}
