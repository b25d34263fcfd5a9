import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("Keys by which people are asked for")
struct AddressKeyTests {
    /// Nine bytes as letters of their own, and three as one that is stored.
    private static let spelled = "\u{1100}\u{1161}\u{11a8}"
    private static let stored = "\u{ac01}"

    private static func key(_ letter: String, _ count: Int) -> String { String(repeating: letter, count: count) }

    /// A world with a contact whose key is so many letters long, whatever a key may have today.
    private static func world(_ count: Int) async throws -> (world: ServiceWorld, contact: Int64) {
        let world = try await ServiceWorld()
        let (app, now, text) = (world.app.id, world.clock.now, Self.key(stored, count))
        let contact = try await world.database.write { connection in
            try connection.contacts.findOrInsert(app: app, key: text, known: true, now: now)
        }
        return (world, contact)
    }

    @Test("SEC-7, REG-9: a key finds its contact in any spelling of its letters, up to the bytes that a key can have")
    func spellings() async throws {
        let count = NamingRule.maximumBytes / 3
        let (world, contact) = try await Self.world(count)
        for key in [Self.key(Self.spelled, count), Self.key(Self.stored, count)] {
            let profile = try await world.directory.contact(key, app: world.app)
            let person = try await world.directory.person(.key(key), app: world.app)
            let number = try await world.contacts.number(of: .key(key), app: world.app)
            #expect(profile.contact.id == contact && person.contact.id == contact && number == contact)
            let listed = try await world.directory.contacts(app: world.app, prefix: key, cursor: nil, limit: 9)
            #expect(listed.contacts.map(\.id) == [contact])
        }
    }

    @Test("SEC-6, SEC-7: a key that is too long to be one is not composed, and is answered as any unknown key")
    func tooLong() async throws {
        // As it may be from before keys were bounded: only its own spelling finds it, which nothing composes.
        let (world, contact) = try await Self.world(500)
        let (app, own, key) = (world.app, Self.key(Self.stored, 500), Self.key(Self.spelled, 500))
        let codes = [
            await errorCode { try await world.directory.contact(key, app: app) },
            await errorCode { try await world.directory.person(.key(key), app: app) },
            await errorCode { try await world.contacts.number(of: .key(key), app: app) },
            await errorCode { try await world.contacts.rename(key, to: "ann", field: "to", app: app) },
            await errorCode { try await world.contacts.merge(own, into: key, field: "into", app: app) },
            await errorCode {
                try await world.directory.devices(
                    matching: DeviceListFilter(contact: key), app: app, before: nil, limit: 9
                )
            },
        ]
        let expected: [String?] = Array(repeating: "notFound", count: codes.count)
        #expect(codes == expected)
        let listed = try await world.directory.contacts(app: app, prefix: key, cursor: nil, limit: 9)
        #expect(listed.contacts.isEmpty && listed.cursor == nil)
        let known = try await world.directory.contact(own, app: app)
        #expect(known.contact.id == contact)
    }
}
