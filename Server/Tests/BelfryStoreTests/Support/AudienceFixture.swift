import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

/// An app with people in it. Its zone is that of Paris, and its moment ``storeEpoch``.
struct AudienceFixture: Sendable {
    /// Devices beside those of the people have higher numbers.
    private static let firstOther = 1_000
    /// Of about so many people it is asked one by one in `make test`, and of all in `make endurance`.
    private static let askedAlone = 8

    let store: TestStore
    let people: [Person]
    let app: Int64 = 1

    /// - Parameter isRecycled: false for tests of plans, which must not meet another test's statistics.
    init(
        _ engine: Engine, schema: [String: AttributeType], people: [Person], isRecycled: Bool = true
    ) async throws {
        store = try TestStore(engine, questions: .patient, isRecycled: isRecycled)
        self.people = people
        try await store.write { connection in
            let app = try connection.makeApp()
            for (name, type) in schema.sorted(by: { $0.key < $1.key }) {
                try connection.attributes.define(try AttributeKey(name), type: type, app: app, now: storeEpoch)
            }
            for index in people.indices {
                _ = try connection.devices.findOrInsert(app: app, client: try client(index + 1), now: storeEpoch)
            }
            for (index, person) in people.enumerated() {
                try connection.add(person, number: index + 1, other: Self.firstOther + 2 * index, app: app)
            }
        }
    }

    /// The names of those whom a predicate chooses, in order. Found by indexes, or one by one, they are as many.
    func audience(_ condition: Condition) async throws -> [String] {
        let app = app
        let numbers: [Int64] = people.isEmpty ? [1] : people.indices.map { Int64($0 + 1) }
        let step = max(1, people.count / Self.askedAlone)
        let (devices, counts, alone) = try await store.ask { asked in
            let sql = try asked.connection.audienceSQL(app: app)
            let audience = try sql.compile(condition)
            let slice = try asked.slice(app: app, audience: audience, devices: 0...Int64.max, limit: Int.max)
            let devices = slice.members.map(\.device)
            var counts = [try asked.count(app: app, audience: audience)]
            if let candidates = try asked.candidates(sql.candidates(condition)) {
                counts.append(try asked.count(app: app, audience: audience, candidates: candidates))
            }
            let some = Endurance.sample(numbers, every: step, from: devices.count)
            let alone = try some.map { try asked.holds($0, app: app, audience: audience, share: 1) }
            return (devices, counts, zip(some, alone).map { (device: $0, isChosen: $1) })
        }
        #expect(counts.allSatisfy { $0 == devices.count }, "\(condition)")
        // Asked for one by one they are the same.
        #expect(alone.allSatisfy { devices.contains($0.device) == $0.isChosen }, "\(condition)")
        return devices.prefix { $0 <= Int64(people.count) }.map { people[Int($0) - 1].name }
    }
}

extension SQLConnection {
    func audienceSQL(app: Int64, now: Date = storeEpoch) throws -> AudienceSQL {
        guard let zone = TimeZone(identifier: "Europe/Paris") else {
            throw StoreError.corrupted(table: "zones", key: "Europe/Paris")
        }
        return AudienceSQL(try attributes.columns(app: app), dialect: dialect, zone: zone, now: now)
    }

    fileprivate func add(_ person: Person, number: Int, other: Int, app: Int64) throws {
        guard var device = try devices.find(app: app, client: try client(number)) else { return }
        device.system = person.system
        // Every second one has opened the app again since its row was written.
        let isOpenedLater = number.isMultiple(of: 2)
        device.lastOpenedAt = person.lastOpenedAt?.addingTimeInterval(isOpenedLater ? -3_600 : 0)
        if person.isOptedIn {
            device.pushToken = try PushToken("t\(number)", provider: .apns, environment: .production)
        }
        if let attributes = person.attributes {
            let id = try contacts.findOrInsert(
                app: app, key: person.name.precomposedStringWithCanonicalMapping, known: person.known, now: storeEpoch
            )
            guard var contact = try contacts.find(id: id) else { return }
            contact.attributes = attributes
            contact.party = person.party
            try contacts.save(contact, now: storeEpoch)
            try contactTags.replace(of: device.id, on: id, with: Set(try person.tags.map(Tag.init)), now: storeEpoch)
            device.contact = id
        }
        try devices.save(device)
        if isOpenedLater, let opened = person.lastOpenedAt { try devices.opened(device.id, app: app, at: opened) }
        try addEvents(of: person, device: device, other: other)
    }

    private func addEvents(of person: Person, device: DeviceRow, other: Int) throws {
        try insert(person.events, device: device.id, app: device.app, contact: device.contact, "own")
        let otherContact = try contacts.findOrInsert(app: device.app, key: "stranger", known: true, now: storeEpoch)
        try insert(person.eventsOfOthers, device: device.id, app: device.app, contact: otherContact, "others")
        guard let contact = device.contact else { return }
        if !person.eventsOfFormerDevice.isEmpty {
            let former = try devices.findOrInsert(app: device.app, client: try client(other), now: storeEpoch)
            try formerDevices.insert(former.id, of: contact, app: device.app)
            try insert(person.eventsOfFormerDevice, device: former.id, app: device.app, contact: contact, "former")
        }
        if !person.eventsOfOtherDevice.isEmpty {
            var second = try devices.findOrInsert(app: device.app, client: try client(other + 1), now: storeEpoch)
            second.contact = contact
            try devices.save(second)
            try insert(person.eventsOfOtherDevice, device: second.id, app: device.app, contact: contact, "other")
        }
    }

    private func insert(
        _ entries: [Person.Entry], device: Int64, app: Int64, contact: Int64?, _ prefix: String
    ) throws {
        for (index, entry) in entries.enumerated() {
            let event = try event("\(prefix)-\(index)", entry.name, at: entry.at, attributes: entry.attributes)
            _ = try events.insert(event, device: device, app: app, contact: contact, now: storeEpoch)
        }
    }
}
