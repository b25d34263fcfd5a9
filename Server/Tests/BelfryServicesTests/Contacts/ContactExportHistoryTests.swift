import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

@Suite("What an export says of a person's devices")
struct ContactExportHistoryTests {
    private static func document(_ world: ServiceWorld, _ key: String) async throws -> String {
        var bytes: [UInt8] = []
        var document = ContactExportDocument(
            try await world.contacts.export(key, app: world.app), app: world.app.code, at: world.clock.now
        )
        try await document.write { bytes += $0 }
        return try #require(String(validating: bytes, as: UTF8.self))
    }

    private struct Written: Decodable {
        let links: [ExportedLink]
        let registrations: [ExportedRegistration]
        let rehearsals: [ExportedRehearsal]
        let contact: ExportedContact
        let messages: [ExportedMessage]
        let inApp: [ExportedInAppMessage]
    }

    private static func export(_ world: ServiceWorld, _ key: String) async throws -> Written {
        try JSONDecoder().decode(Written.self, from: Data(try await document(world, key).utf8))
    }

    @Test(
        "ADM-4: an export has when devices came to the person and left, and no other person's",
        arguments: Engine.ofEachRun)
    func links(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var shared = try await ServiceDevice.started(world, 1)
        world.clock.advance(by: 10)
        try await shared.identify("ann")
        world.clock.advance(by: 10)
        try await shared.linkAnonymously()
        world.clock.advance(by: 10)
        try await shared.identify("bert")
        let ann = try await Self.export(world, "ann").links
        #expect(ann.allSatisfy { $0.deviceId == shared.client.rawValue })
        #expect(ann.map(\.at) == ann.map(\.at).sorted())
        #expect(ann.last?.began == false && ann.last?.cause == .logout && ann.last?.known == true)
        #expect(ann.last?.at == Timestamp.text(ServiceWorld.epoch.addingTimeInterval(20)))
        #expect(ann.contains { $0.began })
        let bert = try await Self.export(world, "bert").links
        #expect(bert.last?.began == true && bert.last?.cause == .link)
        #expect(bert.last?.at == Timestamp.text(ServiceWorld.epoch.addingTimeInterval(30)))
        // Each row is somebody's once.
        let rows = try await world.database.read { connection in
            try connection.query("SELECT count(*) FROM contact_links", []) { $0.integer(0) }
        }
        #expect(rows == [Int64(ann.count + bert.count)])
    }

    @Test("ADM-4: links are read page by page, and each comes once", arguments: Engine.ofEachRun)
    func manyLinks(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("ann")
        let (id, ann) = (try await device.row.id, try #require(try await device.row.contact))
        let times = (1...450).map { ServiceWorld.epoch.addingTimeInterval(Double($0)) }
        try await world.database.write { connection in
            try connection.execute("DELETE FROM contact_links")
            try connection.executeEach(
                "INSERT INTO contact_links (device_id, at, contact_id, began, cause) VALUES (?, ?, ?, ?, 'link')",
                times.map { [.integer(id), .date($0), .integer(ann), .integer($0 == times[0] ? 1 : 0)] }
            )
        }
        var pages: [Int] = []
        var found: [Date] = []
        try await world.contacts.export("ann", app: world.app).forEachPart { part in
            guard case .links(let page) = part else { return }
            pages.append(page.count)
            found += page.map(\.link.at)
        }
        #expect(pages == [200, 200, 50])
        #expect(found == times)
    }

    @Test(
        "SEC-2, ADM-4: a part of an export has a bounded number of bytes of events, and each event comes once",
        arguments: Engine.ofEachRun)
    func longEvents(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("ann")
        let (row, app) = (try await device.row, world.app.id)
        let ids = (100..<250).map { "long-\($0)" }
        let attributes = #"{"story":"\#(String(repeating: "a", count: 60_000))"}"#
        _ = try await world.database.write { connection in
            try connection.executeEach(
                """
                INSERT INTO events (device_id, event_id, app_id, contact_id, kind, name, at, received_at, attributes)
                VALUES (?, ?, ?, ?, 'custom', 'e', 0, 0, ?)
                """,
                ids.map { [.integer(row.id), .text($0), .integer(app), .optional(row.contact), .text(attributes)] }
            )
        }
        var pages: [Int] = []
        var found: [String] = []
        try await world.contacts.export("ann", app: world.app).forEachPart { part in
            guard case .events(let page) = part else { return }
            pages.append(page.count)
            found += page.map(\.event.eventID).filter { $0.hasPrefix("long-") }
        }
        let most = ContactExport.eventBytesAtOnce / attributes.utf8.count + 1
        #expect(found == ids && pages.allSatisfy { count in count <= most })
    }

    @Test(
        "SEC-2, ADM-4: former keys and tags are read page by page; what is shown of a person has the first tags",
        arguments: Engine.ofEachRun)
    func manyNames(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("ann")
        let (row, app) = (try await device.row, world.app.id)
        let ann = try #require(row.contact)
        let former = try await Self.export(world, "ann").contact.aliases
        let names = (1_000..<3_100).map { "name-\($0)" }
        try await world.database.write { connection in
            try connection.executeEach(
                """
                INSERT INTO contacts (app_id, contact_key, known, attributes, created_at, updated_at, merged_into)
                VALUES (?, ?, 1, '{}', 0, 0, ?)
                """,
                names.map { [.integer(app), .text($0), .integer(ann)] }
            )
            try connection.executeEach(
                "INSERT INTO contact_tags (contact_id, tag, device_id) VALUES (?, ?, ?)",
                names.map { [.integer(ann), .text($0), .integer(row.id)] }
            )
            try connection.fillDirectories()
        }
        let written = try await Self.export(world, "ann").contact
        #expect(written.contactKey == "ann" && written.aliases == former + names && written.tags == names)
        var pages: [Int] = []
        try await world.contacts.export("ann", app: world.app).forEachPart { part in
            switch part {
            case .aliases(let page), .tags(let page): pages.append(page.count)
            default: return
            }
        }
        #expect(pages.count > 2 && pages.allSatisfy { count in count <= ContactExport.namesAtOnce })
        let profile = try await world.directory.person(.key("ann"), app: world.app)
        let shown = try await world.directory.contact("ann", app: world.app).tags
        #expect(shown == Array(names.prefix(ContactProfile.maximumTags)) && profile.tags.map(\.tag) == shown)
        #expect(profile.hasMoreTags && profile.tags.allSatisfy { tag in tag.clients == [device.client] })
    }

    @Test(
        "ADM-4: an export has what devices said while they were the person's, and nothing that others said on them",
        arguments: Engine.ofEachRun
    )
    func registrations(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var shared = try await ServiceDevice.started(world, 1)
        try await shared.identify("ann")
        world.clock.advance(by: 10)
        try await shared.tell(["city": "Paris"], key: "ann", tags: [])
        world.clock.advance(by: 10)
        try await shared.linkAnonymously()
        world.clock.advance(by: 10)
        try await shared.identify("bert")
        world.clock.advance(by: 10)
        try await shared.tell(["city": "Rome"], key: "bert", tags: [])
        let ann = try await Self.document(world, "ann")
        #expect(ann.contains("Paris") && !ann.contains("Rome"))
        let bert = try await Self.document(world, "bert")
        #expect(bert.contains("Rome") && !bert.contains("Paris"))
        let written = try await Self.export(world, "bert")
        #expect(written.registrations.map(\.status) == [.processed])
        #expect(written.contact.attributesSetAt == ["city": Timestamp.text(world.clock.now)])
    }

    @Test(
        "ADM-4, CON-9: of times not noted a person has what their own device said, and nothing of one that forgot others",
        arguments: Engine.ofEachRun
    )
    func forgottenPeople(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var shared = try await ServiceDevice.started(world, 1)
        try await shared.identify("eve")
        try await shared.tell(["city": "Rome"], key: "eve", tags: [])
        let eve = try #require(try await shared.row.contact)
        var own = try await ServiceDevice.started(world, 2)
        try await own.identify("anna")
        try await own.tell(["city": "Paris"], key: "anna", tags: [])
        try await own.linkAnonymously()
        try await own.identify("anna")
        for _ in 0..<8 {
            world.clock.advance(by: 10)
            try await shared.linkAnonymously()
            world.clock.advance(by: 10)
            try await shared.identify("anna")
        }
        let formers = try #require(try await shared.row.applied?.formerContacts)
        #expect(!formers.isEmpty && !formers.contains(eve), "the device has forgotten her")
        _ = try await world.database.write { try $0.execute("DELETE FROM contact_links") }
        #expect(try await Self.export(world, "anna").registrations.map(\.deviceId) == [own.client.rawValue])
        #expect(try await !Self.document(world, "anna").contains("Rome"))
        let timeline = try await world.explainer.timeline(
            of: .key("anna"), app: world.app, kind: .registration, limit: 10
        )
        #expect(timeline.entries.map(\.client) == [own.client])
    }

    @Test("ADM-4, CON-12: an export has what rehearsals found for the person's devices", arguments: Engine.ofEachRun)
    func rehearsals(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        _ = try await ServiceDevice.registered(world, 2, key: "bert", token: "token2")
        let id = try await world.draft(ServiceWorld.draft())
        let rehearsal = try await world.rehearse(id)
        let found = try await Self.export(world, "anna").rehearsals
        #expect(
            found == [
                ExportedRehearsal(
                    deviceId: device.client.rawValue, campaign: id.description, rehearsal: String(rehearsal.id),
                    state: .accepted, reason: nil, at: Timestamp.text(world.clock.now)
                )
            ]
        )
        // Whoever has the device next did not have it then; and what was found goes with the erasure of whoever had.
        world.clock.advance(by: 60)
        try await device.linkAnonymously()
        try await device.identify("carl")
        #expect(try await Self.export(world, "carl").rehearsals.isEmpty)
        #expect(try await Self.export(world, "anna").rehearsals == found)
        _ = try await world.contacts.erase("anna", app: world.app)
        let left = try await world.rehearsals.people(in: rehearsal, limit: 10).people
        #expect(left.map(\.device) == [try ServiceWorld.client(2).rawValue])
    }

    @Test(
        "ADM-4, SEC-10: what was rehearsed for a revoked device, which was nobody's then, is not its former person's",
        arguments: Engine.ofEachRun)
    func revoked(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let device = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let id = try await world.draft(ServiceWorld.draft())
        let before = try await world.rehearse(id)
        try await device.track(.test("e1"))
        world.clock.advance(by: 60)
        try await world.links.revoke(device.client.rawValue, app: world.app)
        world.clock.advance(by: 60)
        let after = try await world.rehearse(id)
        #expect(after.audience == 1, "the device is still there, and nobody's")
        #expect(try await Self.export(world, "anna").rehearsals.map(\.rehearsal) == [String(before.id)])
    }

    @Test(
        "ADM-4: an export has which rich pages devices have stored, each button's clicks, and why a message was not shown",
        arguments: Engine.ofEachRun
    )
    func details(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let device = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        let other = try await ServiceDevice.registered(world, 2, key: "bert", token: "token2")
        let id = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        let rows = [try await device.row, try await other.row]
        let at = world.clock.now
        try await world.database.write { connection in
            for (row, button) in zip(rows, ["buy", "later"]) {
                let contact = try #require(row.contact)
                let place: [SQLValue] = [.integer(id.number), .integer(row.id), .integer(contact)]
                try connection.execute(
                    """
                    INSERT INTO rich_confirmations (campaign_id, device_id, contact_id, confirmed_at)
                    VALUES (?, ?, ?, ?)
                    """,
                    place + [.date(at)]
                )
                try connection.execute(
                    """
                    INSERT INTO in_app_copies (campaign_id, device_id, contact_id, version, epoch, shown, displays, clicks,
                        dismissals, screen_time)
                    VALUES (?, ?, ?, 1, 0, 3, 3, 3, 0, 0)
                    """,
                    place
                )
                try connection.execute(
                    "INSERT INTO in_app_clicks (campaign_id, device_id, contact_id, button_id, clicks) VALUES (?, ?, ?, ?, 3)",
                    place + [.text(button)]
                )
                try connection.execute(
                    "INSERT INTO in_app_not_shown (campaign_id, device_id, contact_id, reason, times) VALUES (?, ?, ?, ?, 2)",
                    place + [.text("paused")]
                )
            }
        }
        let anna = try await Self.export(world, "anna")
        #expect(
            anna.messages.map(\.richStored)
                == [[ExportedMoment(deviceId: device.client.rawValue, at: Timestamp.text(at))]]
        )
        #expect(anna.inApp.map(\.clicksByButton) == [["buy": 3]] && anna.inApp.map(\.timesNotShown) == [["paused": 2]])
    }
}
