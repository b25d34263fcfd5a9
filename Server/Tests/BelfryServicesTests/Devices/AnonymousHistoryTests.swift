import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct AnonymousHistoryTests {
    /// A server where anna is known already, by a device of her own.
    private func world() async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        for name in ["city", "age"] {
            try await world.apps.defineAttribute(name, type: name == "age" ? .number : .string, app: world.app)
        }
        var device = try await ServiceDevice.started(world, 9)
        try await device.tell(["city": "Rome"], key: "anna", tags: ["news"])
        world.clock.advance(by: 60)
        return world
    }

    @Test("ID-8: at a login the anonymous history moves to the known contact, whose own values win")
    func login() async throws {
        let world = try await world()
        var device = try await ServiceDevice.started(world, 1)
        _ = try await device.register {
            $0.attributes = ["city": "Paris", "age": 31]
            $0.tags = ["sports", "news"]
            $0.partyIdentifier = PartyIdentifier(type: "email", name: "primary", number: "a@example.com")
            $0.lastOpenedAt = "2026-11-21T11:00:00Z"
        }
        try await world.process()
        try await device.track(.test("e1"), .test("e2"))
        let former = try #require(try await device.contactKey)
        try await device.identify("anna")
        let anna = try await world.directory.contact("anna", app: world.app)
        #expect(anna.contact.attributes == ["city": "Rome", "age": 31])
        #expect(anna.tags == ["news", "sports"])
        #expect(anna.contact.party?.number == "a@example.com")
        #expect(anna.contact.lastOpenedAt == Timestamp.date("2026-11-21T11:00:00Z"))
        #expect(try await world.owners() == ["e1": "anna", "e2": "anna"])
        // It is there no more: not in the lists, not by its key, and no orphan.
        #expect(try await world.contactKeys() == ["anna"])
        #expect(try await world.contactKeys(orphaned: true) == [])
        #expect(await errorCode { try await world.directory.contact(former, app: world.app) } == "notFound")
    }

    @Test("ID-8: a snapshot's contact key is a login as well")
    func bySnapshot() async throws {
        let world = try await world()
        var device = try await ServiceDevice.started(world, 1)
        try await device.tell(["age": 31], tags: ["sports"])
        try await device.track(.test("e1"))
        try await device.tell(["age": 31, "city": "Oslo"], key: "anna")
        let anna = try await world.directory.contact("anna", app: world.app)
        // What it says with the login is new, and counts.
        #expect(anna.contact.attributes == ["city": "Oslo", "age": 31])
        #expect(anna.tags == ["news", "sports"])
        #expect(try await world.owners() == ["e1": "anna"])
    }

    @Test("ID-8, REG-28: a value from before the login overwrites nothing when repeated; a change is written")
    func memory() async throws {
        let world = try await world()
        var device = try await ServiceDevice.started(world, 1)
        try await device.tell(["city": "Paris"])
        try await device.identify("anna")
        func city() async throws -> AttributeValue? {
            try await world.directory.contact("anna", app: world.app).contact.attributes["city"]
        }
        #expect(try await city() == "Rome")
        for key in [nil, "anna"] {
            try await device.tell(["city": "Paris"], key: key)
            #expect(try await city() == "Rome")
        }
        try await device.tell(["city": "Oslo"])
        #expect(try await city() == "Oslo")
        try await device.tell(["city": ""])
        #expect(try await city() == nil)
    }

    @Test("ID-8: no data moves from one known contact to another, nor at a logout")
    func knownToKnown() async throws {
        let world = try await world()
        var device = try await ServiceDevice.started(world, 1)
        try await device.tell(["age": 31], key: "bert", tags: ["sports"])
        try await device.track(.test("of-bert"))
        try await device.identify("bert")
        try await device.track(.test("of-bert-too"))
        try await device.linkAnonymously()
        let between = try #require(try await device.contactKey)
        try await device.track(.test("between"))
        #expect(try await world.owners()["between"] == between)
        try await device.identify("anna")
        // The first one names the anonymous contact that has become bert.
        #expect(try await world.owners() == ["of-bert": "bert", "of-bert-too": "bert", "between": "anna"])
        let anna = try await world.directory.contact("anna", app: world.app)
        #expect(anna.contact.attributes == ["city": "Rome"] && anna.tags == ["news"])
        let bert = try await world.directory.contact("bert", app: world.app)
        #expect(bert.contact.attributes == ["age": 31] && bert.tags == ["sports"] && bert.devices.isEmpty)
    }

    @Test("ID-8, ID-7: a late event that names the anonymous contact goes to the known one")
    func lateEvent() async throws {
        let world = try await world()
        var device = try await ServiceDevice.started(world, 1)
        let reference = device.contactReference
        try await device.identify("anna")
        try await device.identify("bert")
        var late = try Event.test("late")
        late.contactReference = reference
        try await device.track(late)
        #expect(try await world.owners() == ["late": "anna"])
    }

    @Test("ID-8, WIRE-20: a caller without proof of being the device moves no history")
    func thief() async throws {
        let world = try await world()
        var device = try await ServiceDevice.started(world, 1)
        try await device.tell(["age": 31], tags: ["sports"])
        try await device.track(.test("e1"))
        let former = try #require(try await device.contactKey)
        var thief = try ServiceDevice(world, 1)
        try await thief.identify("thief")
        let stolen = try await world.directory.contact("thief", app: world.app)
        #expect(stolen.contact.attributes.isEmpty && stolen.tags.isEmpty)
        #expect(try await world.owners() == ["e1": former])
        // It has a history, so it is not orphaned.
        #expect(try await world.contactKeys().contains(former))
        #expect(try await world.contactKeys(orphaned: true) == [])
    }

    @Test("ID-8: a snapshot that waited over the login adds only what the known contact lacks")
    func waitingSnapshot() async throws {
        let world = try await world()
        var device = try await ServiceDevice.started(world, 1)
        _ = try await device.register {
            $0.attributes = ["city": "Paris", "age": 31]
            $0.tags = ["sports"]
        }
        world.clock.advance(by: 1)
        try await device.identify("anna")
        try await world.process()
        var anna = try await world.directory.contact("anna", app: world.app)
        #expect(anna.contact.attributes == ["city": "Rome", "age": 31])
        #expect(anna.tags == ["news", "sports"])
        // Repeated after the login it is still no news.
        try await device.tell(["city": "Paris", "age": 31])
        anna = try await world.directory.contact("anna", app: world.app)
        #expect(anna.contact.attributes == ["city": "Rome", "age": 31])
    }

    @Test("ID-8: a snapshot that waited over the login and names the known contact counts completely")
    func waitingNamed() async throws {
        let world = try await world()
        var device = try await ServiceDevice.started(world, 1)
        _ = try await device.register {
            $0.contactKey = "anna"
            $0.attributes = ["city": "Paris"]
        }
        world.clock.advance(by: 1)
        try await device.identify("anna")
        try await world.process()
        let anna = try await world.directory.contact("anna", app: world.app)
        #expect(anna.contact.attributes == ["city": "Paris"])
    }

    @Test("ID-4, REG-28: a snapshot that waited over a logout does not affect the next contact")
    func waitingOverLogout() async throws {
        let world = try await world()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("bert")
        _ = try await device.register {
            $0.contactKey = "bert"
            $0.attributes = ["city": "Bern"]
            $0.tags = ["sports"]
            $0.locale = "fr_FR"
        }
        world.clock.advance(by: 1)
        try await device.linkAnonymously()
        try await world.process()
        let profile = try await world.profile(device)
        #expect(profile.contact?.known == false && profile.contact?.attributes == [:])
        #expect(profile.device.system.locale == "fr_FR" && profile.device.revision == 1)
        world.clock.advance(by: 1)
        try await device.identify("anna")
        let anna = try await world.directory.contact("anna", app: world.app)
        #expect(anna.contact.attributes == ["city": "Rome"] && anna.tags == ["news"])
    }

    @Test(
        "ID-8: of a shared anonymous contact, the first device moves its own part, the last one the rest")
    func shared() async throws {
        let world = try await world()
        var first = try await ServiceDevice.started(world, 1)
        var second = try await ServiceDevice.started(world, 2)
        try await world.share(first, with: second)
        let common = try #require(try await first.contactKey)
        try await first.tell(["city": "Paris"], tags: ["a"])
        try await second.tell(["age": 31], tags: ["b"])
        for (device, id) in [(first, "e1"), (second, "e2")] {
            var event = try Event.test(id)
            event.contactReference = ""
            try await device.track(event)
        }
        try await first.identify("bert")
        let bert = try await world.directory.contact("bert", app: world.app)
        #expect(bert.contact.attributes == ["city": "Paris"] && bert.tags == ["a"])
        #expect(try await world.owners() == ["e1": "bert", "e2": common])
        #expect(try await world.directory.contact(common, app: world.app).tags == ["b"])
        try await second.identify("anna")
        let anna = try await world.directory.contact("anna", app: world.app)
        #expect(anna.contact.attributes == ["city": "Rome", "age": 31] && anna.tags == ["b", "news"])
        #expect(try await world.owners() == ["e1": "bert", "e2": "anna"])
        #expect(try await world.contactKeys().contains(common) == false)
    }
}

extension ServiceWorld {
    /// Gives two devices one anonymous contact, as a moved push token does (REG-23).
    fileprivate func share(_ device: ServiceDevice, with other: ServiceDevice) async throws {
        let (app, clients) = (app.id, (device.client, other.client))
        try await database.write { connection in
            guard let one = try connection.devices.find(app: app, client: clients.0),
                var two = try connection.devices.find(app: app, client: clients.1)
            else { return }
            two.contact = one.contact
            try connection.devices.save(two)
        }
    }
}
