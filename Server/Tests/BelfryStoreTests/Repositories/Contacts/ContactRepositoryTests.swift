import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Testing

struct ContactRepositoryTests {
    @Test("REG-22: a contact keeps its attributes, party and last open", arguments: Engine.allCases)
    func roundTrip(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let id = try await store.write { connection in
            let id = try connection.contacts.findOrInsert(app: 1, key: "anna", known: true, now: storeEpoch)
            guard var contact = try connection.contacts.find(id: id) else { return id }
            contact.attributes = ["city": "Paris's \"best\"", "age": 31.5, "vip": true, "birthday": .date(seconds(1))]
            contact.party = PartyIdentifier(type: "email", name: "primary", number: "a@example.com")
            contact.lastOpenedAt = seconds(5)
            try connection.contacts.save(contact, now: storeEpoch)
            return id
        }
        let found = try await store.read { try $0.contacts.find(id: id) }
        let contact = try #require(found)
        #expect(contact.key == "anna" && contact.known && contact.app == 1)
        #expect(contact.attributes["city"] == "Paris's \"best\"" && contact.attributes["age"] == 31.5)
        #expect(contact.attributes["vip"] == true && contact.attributes["birthday"] == "2026-11-21T12:00:01.000Z")
        #expect(contact.party?.number == "a@example.com")
        #expect(contact.lastOpenedAt == seconds(5) && contact.createdAt == storeEpoch)
        #expect(try await store.read { try $0.contacts.find(app: 1, key: "anna") } == contact)
        #expect(try await store.read { try $0.contacts.find(app: 2, key: "anna") } == nil)
    }

    @Test("WIRE-25: a key creates one contact, however many calls need it at once", arguments: Engine.allCases)
    func once(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let ids = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 0..<60 {
                group.addTask {
                    try await store.write {
                        try $0.contacts.findOrInsert(app: 1, key: "key-\(number % 3)", known: true, now: storeEpoch)
                    }
                }
            }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }
        #expect(ids.count == 3)
    }

    @Test(
        "REG-28: a contact's tags are the union over its devices; each device replaces its own",
        arguments: Engine.allCases)
    func tags(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let put = { @Sendable (device: Int64, contact: Int64, tags: [String]) in
            try await store.write { connection in
                try connection.contactTags.replace(
                    of: device, on: contact, with: Set(try tags.map(Tag.init)), now: storeEpoch)
            }
        }
        try await put(1, 10, ["b", "a"])
        try await put(2, 10, ["b", "c"])
        try await put(1, 11, ["z"])
        #expect(try await store.read { try $0.contactTags.list(of: 10) } == ["a", "b", "c"])
        try await put(1, 10, ["d"])
        #expect(try await store.read { try $0.contactTags.list(of: 10) } == ["b", "c", "d"])
        try await put(2, 10, [])
        #expect(try await store.read { try $0.contactTags.list(of: 10) } == ["d"])
        #expect(try await store.read { try $0.contactTags.list(of: 11) } == ["z"])
    }
}
