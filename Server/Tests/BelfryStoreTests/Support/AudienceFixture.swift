import BelfryModel
import BelfryStore
import Foundation

/// A person with one device, for audiences to choose from.
struct Person: Sendable {
    var name: String
    /// Nil: the device has no contact.
    var attributes: [String: AttributeValue]?
    var known = true
    var tags: [String] = []
    var system = SystemProperties()
}

/// An app with people in it.
struct AudienceFixture: Sendable {
    let store: TestStore
    let people: [Person]
    let schema: [String: AttributeType]

    init(_ engine: Engine, schema: [String: AttributeType], people: [Person]) async throws {
        store = try TestStore(engine)
        self.people = people
        self.schema = schema
        try await store.write { connection in
            let app = try connection.makeApp()
            for (name, type) in schema {
                try connection.attributes.define(try AttributeKey(name), type: type, app: app, now: storeEpoch)
            }
            for (index, person) in people.enumerated() {
                try connection.add(person, number: index + 1, app: app)
            }
        }
    }

    /// The names of those whom a predicate chooses, in order.
    func audience(_ condition: Condition) async throws -> [String] {
        let schema = schema
        let devices = try await store.write { connection in
            let fragment = try AudienceSQL(schema: schema, dialect: connection.dialect).compile(condition)
            try connection.execute("DELETE FROM deliveries")
            let planned = try connection.deliveries.plan(
                campaign(1), app: 1, audience: fragment, devices: 1..<1_000_000, limit: 1_000, now: storeEpoch
            )
            guard let planned else { return [Int64]() }
            let batch = Batch(campaign: try campaign(1), number: 1, devices: planned.range)
            return try connection.deliveries.recipients(of: batch).map(\.device)
        }
        return devices.map { people[Int($0) - 1].name }
    }
}

extension SQLConnection {
    fileprivate func add(_ person: Person, number: Int, app: Int64) throws {
        var device = try devices.findOrInsert(app: app, client: client(number), now: storeEpoch)
        device.system = person.system
        if let attributes = person.attributes {
            let id = try contacts.findOrInsert(app: app, key: person.name, known: person.known, now: storeEpoch)
            guard var contact = try contacts.find(id: id) else { return }
            contact.attributes = attributes
            try contacts.save(contact, now: storeEpoch)
            try contacts.replaceTags(of: device.id, on: id, with: Set(try person.tags.map(Tag.init)))
            device.contact = id
        }
        try devices.save(device)
    }
}
