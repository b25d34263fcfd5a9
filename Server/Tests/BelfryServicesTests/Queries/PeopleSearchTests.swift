import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

@Suite("People are found by whatever names them")
struct PeopleSearchTests {
    private static func find(
        _ world: ServiceWorld, _ text: String, by kind: PeopleSearchKind? = nil, name: String = "",
        app: AppRecord? = nil, cursor: String? = nil, limit: Int = 10
    ) async throws -> [PeopleFinding] {
        try await world.directory.people(
            PeopleSearch(text, by: kind, name: name), app: app ?? world.app, cursor: cursor, limit: limit
        )
    }

    private static func keys(_ findings: [PeopleFinding]) -> [String] {
        findings.flatMap { $0.people.map(\.contact.key) + $0.devices.compactMap(\.contactKey) }
    }

    @Test("CON-9: by key, its beginning, a former key, party identifier, device id and push token; it says what it did")
    func everyWay() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, key: "ann@example.com", token: "ANNSTOKEN")
        try await device.register {
            $0.contactKey = "ann@example.com"
            $0.pushToken = "ANNSTOKEN"
            $0.partyIdentifier = PartyIdentifier(type: "crm", name: "main", number: "4711")
        }
        try await world.process()
        _ = try await ServiceDevice.registered(world, 2, key: "annabel")
        _ = try await ServiceDevice.registered(world, 3, key: "bert")
        _ = try await world.contacts.rename("bert", to: "robert", field: "to", app: world.app)
        for (text, kind, key) in [
            ("ann@example.com", PeopleSearchKind.key, "ann@example.com"), ("robert", .key, "robert"),
            ("4711", .party, "ann@example.com"), (device.client.rawValue, .device, "ann@example.com"),
            (device.client.rawValue.uppercased(), .device, "ann@example.com"),
        ] {
            let all = try await Self.find(world, text)
            #expect(all.map(\.kind) == [kind] && Self.keys(all) == [key], "\(text)")
            #expect(all[0].sentence.contains(text), "\(text): \(all[0].sentence)")
            #expect(Self.keys(try await Self.find(world, text, by: kind)) == [key], "\(text) \(kind)")
        }
        #expect(Self.keys(try await Self.find(world, "ann")) == ["ann@example.com", "annabel"])
        let former = try await Self.find(world, "bert")
        #expect(former.flatMap(\.people).map(\.formerKey) == ["bert"] && Self.keys(former) == ["robert"])
        let token = try #require(try await device.row.pushToken)
        let byToken = try await Self.find(world, token.value)
        #expect(byToken.map(\.kind) == [.token] && !byToken[0].sentence.contains(token.value))
        #expect(try await Self.find(world, "nobody").isEmpty)
        #expect(try await Self.find(world, "nobody", by: .party).map(\.isEmpty) == [true])
    }

    @Test("SEC-7, CON-9: a text is measured before it is composed: what would be short enough then is too long before")
    func decomposed() async throws {
        let world = try await ServiceWorld()
        // Three bytes each, and two when they are composed.
        let text = String(repeating: "e\u{301}", count: PeopleSearch.maximumLength / 2)
        #expect(await errorCode { try await Self.find(world, text) } == "tooLong")
        #expect(PeopleSearch.composed(text) == nil)
        #expect(PeopleSearch.composed("e\u{301}")?.utf8.count == 2)
    }

    @Test("CON-9: by a contact field, which is a name space of its own")
    func fields() async throws {
        let world = try await ServiceWorld()
        var app = world.app
        app.settings.contactField = "customerId"
        app.settings.contactFields = ["email"]
        let (number, now) = (app.id, world.clock.now)
        try await world.database.write { connection in
            for key in ["ann", "field:email:ann"] {
                _ = try connection.contacts.findOrInsert(app: number, key: key, known: true, now: now)
            }
        }
        let email = try await Self.find(world, "ann", by: .field, name: "email", app: app)
        #expect(Self.keys(email) == ["field:email:ann"])
        #expect(Self.keys(try await Self.find(world, "ann", by: .field, name: "customerId", app: app)) == ["ann"])
        let all = try await Self.find(world, "ann", app: app)
        #expect(all.map(\.kind) == [.key, .field] && Self.keys(all) == ["ann", "field:email:ann"])
        #expect(Self.keys(try await Self.find(world, "ann", by: .field, name: "phone", app: app)).isEmpty)
    }

    @Test("CON-2: whom a text names in full comes before those whose key only begins so, however many they are")
    func fullNamesFirst() async throws {
        let world = try await ServiceWorld()
        var app = world.app
        app.settings.contactField = "customerId"
        app.settings.contactFields = ["crm"]
        let (number, now) = (app.id, world.clock.now)
        let longer = (10...29).map { "1001\($0)" }
        try await world.database.write { connection in
            for key in longer + ["1001", "field:crm:1001", "zoe"] {
                let id = try connection.contacts.findOrInsert(app: number, key: key, known: true, now: now)
                guard key == "zoe", var contact = try connection.contacts.find(id: id) else { continue }
                contact.party = PartyIdentifier(type: "customer", name: "main", number: "1001")
                try connection.contacts.save(contact, now: now)
            }
        }
        let search = SearchService(database: world.database)
        func find(_ limit: Int) async throws -> [String] {
            try await search.find("1001", app: app, limit: limit).contacts.map(\.key)
        }
        #expect(try await find(3) == ["1001", "field:crm:1001", "zoe"])
        #expect(try await find(20) == ["1001", "field:crm:1001", "zoe"] + longer.prefix(17))
        #expect(try await find(1) == ["1001"])
    }

    @Test("CON-9, ADM-7: by the value of a defined attribute, newest first, each person once, page by page")
    func attributes() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        try await world.apps.defineAttribute("visits", type: .number, app: world.app)
        try await world.apps.defineAttribute("member", type: .boolean, app: world.app)
        for number in 1...7 {
            var device = try await ServiceDevice.started(world, number)
            try await device.tell(
                ["city": number == 4 ? "Rome" : "Paris", "visits": .number(Double(number)), "member": .boolean(true)],
                key: "p\(number)"
            )
        }
        // A second device makes nobody two people.
        var second = try await ServiceDevice.started(world, 8)
        try await second.tell(["city": "Paris", "visits": 7, "member": true], key: "p7")
        var (keys, cursor): ([String], String?) = ([], nil)
        repeat {
            let page = try await Self.find(
                world, "Paris", by: .attribute, name: "city", cursor: cursor, limit: 2
            )
            keys += Self.keys(page)
            cursor = page[0].cursor
        } while cursor != nil
        #expect(keys == ["p7", "p6", "p5", "p3", "p2", "p1"])
        #expect(Self.keys(try await Self.find(world, "3.0", by: .attribute, name: "visits")) == ["p3"])
        #expect(Self.keys(try await Self.find(world, "yes", by: .attribute, name: "member")).count == 7)
        #expect(Self.keys(try await Self.find(world, "paris", by: .attribute, name: "city")).isEmpty)
        let codes = [
            await errorCode { try await Self.find(world, "x", by: .attribute, name: "shoe") },
            await errorCode { try await Self.find(world, "many", by: .attribute, name: "visits") },
            await errorCode { try await Self.find(world, "maybe", by: .attribute, name: "member") },
            await errorCode { try await Self.find(world, "x", by: .key, cursor: "?") },
            await errorCode { try await Self.find(world, String(repeating: "x", count: 5_000)) },
        ]
        #expect(codes == ["unknownAttribute", "typeMismatch", "typeMismatch", "invalidCursor", "tooLong"])
    }

    @Test("CON-9, WIRE-20: an id that several installations have finds all of them, and no page takes one for another")
    func sameID() async throws {
        let world = try await ServiceWorld()
        var hers = try await ServiceDevice.started(world, 7)
        try await hers.identify("ann")
        world.clock.advance(by: 60)
        // An impostor comes with her id alone, and is another installation.
        var impostor = try await ServiceDevice.started(world, 7)
        try await impostor.identify("mallory")
        let (own, other) = (try await hers.row.id, try await impostor.row.id)
        let found = try await Self.find(world, hers.client.rawValue)
        #expect(found.map(\.kind) == [.device])
        #expect(found[0].devices.map(\.device.id) == [other, own])
        #expect(found[0].devices.map(\.contactKey) == ["mallory", "ann"])
        let pages = try await Self.find(world, hers.client.rawValue, by: .device, limit: 1)
        #expect(pages[0].devices.map(\.device.id) == [other] && pages[0].cursor == String(other))

        let ann = try await world.directory.person(.key("ann"), app: world.app)
        #expect(ann.devices.map(\.device.id) == [own])
        #expect(ann.devices[0].namesakes.map(\.number) == [other])
        #expect(ann.devices[0].namesakes.map(\.contactKey) == ["mallory"])
        let id = hers.client.rawValue
        let newest = try await world.directory.device(id, app: world.app)
        #expect(newest.device.id == other && newest.namesakes.map(\.number) == [own])
        let chosen = try await world.directory.device(id, installation: own, app: world.app)
        #expect(chosen.contact?.key == "ann")
        let wrong = try await ServiceDevice.started(world, 8).row.id
        #expect(
            await errorCode { try await world.directory.device(id, installation: wrong, app: world.app) }
                == "notFound"
        )
    }
}
