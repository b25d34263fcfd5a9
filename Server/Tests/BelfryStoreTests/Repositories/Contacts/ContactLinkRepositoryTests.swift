import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@Suite("Whose a device was")
struct ContactLinkRepositoryTests {
    /// What is noted of one device: from one contact, to another, by seconds.
    typealias Note = (from: Int64?, to: Int64?, at: TimeInterval)

    struct Story: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let notes: [Note]
        /// Whose the device was then, second by second.
        let owners: [DeviceOwner]
    }

    static let stories = [
        Story(testDescription: "nobody has noted anything", notes: [], owners: [.unknown, .unknown]),
        Story(
            testDescription: "it came, and was revoked", notes: [(nil, 1, 1), (1, nil, 3)],
            owners: [.unknown, .contact(1), .contact(1), .nobody, .nobody]
        ),
        Story(
            testDescription: "it came to the same person again", notes: [(nil, 1, 0), (1, nil, 1), (nil, 1, 3)],
            owners: [.contact(1), .nobody, .nobody, .contact(1)]
        ),
        Story(
            testDescription: "it went from one person to another in one moment",
            notes: [(nil, 2, 0), (2, 1, 1), (1, 2, 2)],
            owners: [.contact(2), .contact(1), .contact(2)]
        ),
        Story(
            testDescription: "it left and came back in one moment", notes: [(nil, 1, 0), (1, nil, 1), (nil, 1, 1)],
            owners: [.contact(1), .contact(1)]
        ),
        Story(
            testDescription: "it went through two people in one moment: the later contact has it",
            notes: [(nil, 1, 1), (1, 2, 1)], owners: [.unknown, .contact(2)]
        ),
        Story(
            testDescription: "only its leaving was noted", notes: [(1, nil, 1)], owners: [.unknown, .nobody]
        ),
    ]

    /// Registrations of a device, one each second, with the number of the second as their revision.
    private static func device(
        _ story: Story, _ connection: any SQLConnection
    ) throws -> Int64 {
        for key in ["anna", "bert"] {
            _ = try connection.contacts.findOrInsert(app: 1, key: key, known: true, now: storeEpoch)
        }
        let device = try connection.devices.insert(app: 1, client: try client(1), now: storeEpoch)
        for note in story.notes {
            try connection.contactLinks.note(
                device.id, from: note.from, to: note.to, cause: .link, at: seconds(note.at)
            )
        }
        for second in story.owners.indices {
            _ = try connection.registrations.insert(
                device: device.id, snapshot: snapshot("r\(second)", revision: Int64(second)), requestOrder: 1,
                now: seconds(Double(second))
            )
        }
        return device.id
    }

    @Test(
        "ADM-4, CON-9: a device that left for nobody is nobody's, in an export, in a timeline and by itself",
        arguments: Engine.allCases, stories)
    func owners(_ engine: Engine, _ story: Story) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let device = try Self.device(story, connection)
            let links = connection.contactLinks
            let found = try story.owners.indices.map {
                try links.owner(ofDevice: device, at: seconds(Double($0)))
            }
            #expect(found == story.owners)
            for contact: Int64 in [1, 2] {
                for countsUnknown in [false, true] {
                    let theirs = story.owners.indices.filter {
                        story.owners[$0] == .contact(contact) || countsUnknown && story.owners[$0] == .unknown
                    }.map { Int64($0) }
                    let exported = try connection.people.registrations(
                        of: device, person: contact, withUnknown: countsUnknown, after: (.min, .min), limit: 99
                    )
                    #expect(exported.map(\.revision) == theirs, "\(contact), \(countsUnknown)")
                    let scope = TimelineScope(
                        app: 1, contact: contact, present: [device], former: [],
                        sole: countsUnknown ? [device] : [], holders: []
                    )
                    let listed = try connection.timelines.registrations(
                        of: scope, before: TimelinePosition(at: .max), limit: 99
                    )
                    #expect(listed.map(\.revision) == theirs.reversed(), "\(contact), \(countsUnknown)")
                }
            }
        }
    }

    @Test("REG-36: what an erased person's successor noted is not the person's before", arguments: Engine.allCases)
    func erased(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        try await store.write { connection in
            let links = connection.contactLinks
            try links.note(7, from: nil, to: 1, cause: .link, at: seconds(1))
            try links.note(7, from: 1, to: 2, cause: .link, at: seconds(2))
            try links.deleteAll(ofContacts: [2])
            #expect(try links.owner(ofDevice: 7, at: seconds(1)) == .contact(1))
            #expect(try links.owner(ofDevice: 7, at: seconds(3)) == .nobody)
        }
    }

    @Test(
        "REG-36, SEC-8: what devices left with known contacts that became a person's goes in pages, as very many of them do",
        arguments: Engine.allCases)
    func knownParts(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        let steps = try await store.write { connection -> [[Int]] in
            let contacts = try ["anna", "ann", "an", "a"].map {
                try connection.contacts.findOrInsert(app: 1, key: $0, known: true, now: storeEpoch)
            }
            for part in contacts[1...] { try connection.contacts.redirect(part, to: contacts[0], now: storeEpoch) }
            for device: Int64 in 1...7 {
                try connection.contactLinks.note(
                    device, from: nil, to: contacts[1], cause: .link, at: seconds(Double(device))
                )
            }
            return try [4, 4, 2, 2].map { limit in
                let isDone = try connection.contacts.deleteParts(of: contacts[0], keeping: contacts[0], limit: limit)
                let links = try connection.first("SELECT count(*) FROM contact_links", []) { Int($0.integer(0)) } ?? -1
                let parts = try connection.contactParts.count(mergedInto: contacts[0], upTo: 9)
                return [isDone ? 1 : 0, links, parts]
            }
        }
        #expect(steps == [[0, 3, 3], [1, 0, 3], [0, 0, 1], [1, 0, 1]])
    }
}
