import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("What is known of a person")
struct PersonProfileTests {
    @Test("CON-9: attributes say when they were set and which device registered them; tags say who put them")
    func sources() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        try await world.apps.defineAttribute("size", type: .number, app: world.app)
        var first = try await ServiceDevice.started(world, 1)
        try await first.tell(["city": "Paris", "size": 38], key: "ann", tags: ["sports"])
        world.clock.advance(by: 60)
        let later = world.clock.now
        var second = try await ServiceDevice.started(world, 2)
        try await second.tell(["city": "Rome"], key: "ann", tags: ["sports", "news"])
        let ann = try await world.directory.person(.key("ann"), app: world.app)
        #expect(ann.contact.attributes == ["city": "Rome", "size": 38])
        #expect(ann.sources["city"]?.clients == [second.client] && ann.sources["city"]?.at == later)
        #expect(ann.sources["size"]?.clients == [first.client] && ann.sources["size"]?.at == ServiceWorld.epoch)
        #expect(ann.tags.map(\.tag) == ["news", "sports"])
        #expect(ann.tags.map(\.clients) == [[second.client], [first.client, second.client]])
        #expect(ann.deviceCount == 2 && ann.devices.map(\.device.client) == [second.client, first.client])
        // The phone is somebody else's now: the value stays, and nobody present has said it.
        try await second.linkAnonymously()
        let left = try await world.directory.person(.key("ann"), app: world.app)
        #expect(left.sources["city"]?.clients == [] && left.formerDevices == [second.client])
        #expect(try await world.directory.contact("ann", app: world.app).sources == left.sources)
    }

    @Test("CON-9: messages, in-app messages and badges; by key, number, former key and party identifier")
    func messages() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, key: "ann", token: "token1")
        try await device.register {
            $0.contactKey = "ann"
            $0.pushToken = "token1"
            $0.partyIdentifier = PartyIdentifier(type: "crm", name: "main", number: "4711")
        }
        try await world.process()
        let id = try await world.launch(message: ServiceWorld.message, push: ServiceWorld.content)
        try await world.sendToTheEnd()
        let ann = try await world.directory.person(.key("ann"), app: world.app)
        #expect(ann.messages.map(\.row.campaign) == [id] && ann.messages[0].row.state == .unread)
        #expect(ann.campaigns[id]?.name == "News" && ann.inAppMessages.isEmpty)
        let number = ann.contact.id
        for reference: PersonReference in [.number(number), .party(PartySearch(number: "4711"))] {
            #expect(try await world.directory.person(reference, app: world.app).contact.key == "ann")
            let explained = try await world.explainer.explain(id, person: reference, app: world.app)
            #expect(explained.state == "accepted" && explained.contactKey == "ann")
        }
        _ = try await ServiceDevice.registered(world, 2, key: "bert")
        let (app, now) = (world.app.id, world.clock.now)
        try await world.database.write { connection in
            var bert = try #require(try connection.contacts.find(app: app, key: "bert"))
            bert.party = PartyIdentifier(type: "crm", name: "other", number: "4711")
            try connection.contacts.save(bert, now: now)
        }
        let several = await errorCode {
            try await world.explainer.explain(id, person: .party(PartySearch(number: "4711")), app: world.app)
        }
        #expect(several == "severalContacts")
        let hers = PersonReference.party(PartySearch(number: "4711", name: "main"))
        #expect(try await world.directory.person(hers, app: world.app).contact.key == "ann")
        #expect(await errorCode { try await world.directory.person(.number(999_999), app: world.app) } == "notFound")
    }

    @Test("ADM-4: what an erasure would remove is counted before, and is what it removes")
    func erasable() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "ann", token: "token1")
        try await device.track(Event.test("e1"), Event.test("e2"))
        _ = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        let person = try await world.contacts.erasable(.key("ann"), app: world.app)
        #expect(person.key == "ann" && person.devices == 1 && person.events == 2 && person.messages == 1)
        let receipt = try await world.contacts.erase(.number(person.number), app: world.app)
        #expect(receipt.removed.devices == 1 && receipt.removed.events == 2 && receipt.removed.messages == 1)
    }
}
