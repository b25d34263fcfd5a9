import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// Devices that have said very much of their contact, which anybody's device may.
struct DevicePageTests {
    private static let count = 40
    private static let value = String(repeating: "a", count: 500_000)

    private struct Fixture {
        let store: TestStore
        let contact: Int64
        /// Every third of them is dormant.
        let ids: [Int64]
    }

    private static func fixture(_ engine: Engine) async throws -> Fixture {
        let store = try await TestStore.withApps(engine)
        let made = try await store.write { connection -> (contact: Int64, ids: [Int64]) in
            let contact = try connection.contacts.findOrInsert(app: 1, key: "anna", known: true, now: storeEpoch)
            var ids: [Int64] = []
            for number in 1...count {
                var device = try connection.devices.insert(app: 1, client: try client(number), now: storeEpoch)
                device.contact = contact
                device.applied = AppliedSnapshot(contact: contact, attributes: ["text": .string(value)])
                try connection.devices.save(device)
                ids.append(device.id)
            }
            let dormant = stride(from: 0, to: count, by: 3).map { ids[$0] }
            try connection.dormantDevices.take(dormant, app: 1)
            return (contact, ids)
        }
        return Fixture(store: store, contact: made.contact, ids: made.ids)
    }

    private func expectBounded(_ pages: [[Int64]], _ expected: [Int64]) {
        #expect(pages.flatMap(\.self) == expected)
        // Of each of the two tables.
        let most = 2 * (DeviceRepository.maximumPageBytes / Self.value.utf8.count + 1)
        #expect(pages.count > 1 && pages.allSatisfy { page in page.count <= most })
    }

    @Test(
        "SEC-2, ADM-7: a page of devices has a bounded number of bytes, and the next goes on",
        arguments: Engine.allCases)
    func pages(_ engine: Engine) async throws {
        let fixture = try await Self.fixture(engine)
        for search in [DeviceSearch.all, .contact(fixture.contact)] {
            var pages: [[Int64]] = []
            var cursor: Int64?
            var hasMore = true
            while hasMore, pages.count < Self.count {
                let start = cursor
                let page = try await fixture.store.read {
                    try $0.devices.list(app: 1, search, before: start, limit: 1_000)
                }
                pages.append(page.devices.map(\.id))
                (cursor, hasMore) = (page.devices.last?.id, page.hasMore)
            }
            expectBounded(pages, fixture.ids.reversed())
        }
    }

    @Test("SEC-2, ADM-4: so has one of an export", arguments: Engine.allCases)
    func exportPages(_ engine: Engine) async throws {
        let fixture = try await Self.fixture(engine)
        let contact = fixture.contact
        var pages: [[Int64]] = []
        var hasMore = true
        while hasMore, pages.count < Self.count {
            let start = pages.last?.last ?? 0
            let page = try await fixture.store.read {
                try $0.people.devices(of: contact, after: start, limit: 1_000)
            }
            pages.append(page.devices.map(\.id))
            hasMore = page.hasMore
        }
        expectBounded(pages, fixture.ids)
    }

    @Test(
        "SEC-2, CON-9: what is asked of all devices of a contact comes from page after page", arguments: Engine.allCases
    )
    func walk(_ engine: Engine) async throws {
        let fixture = try await Self.fixture(engine)
        let contact = fixture.contact
        let found = try await fixture.store.read { connection in
            [
                try connection.devices.ofContact(contact, limit: 100) { $0.id },
                try connection.devices.ofContact(contact, limit: 30) { $0.id },
                try connection.devices.outlines(ofContact: contact, limit: 30).map(\.id),
            ]
        }
        let newest: [Int64] = fixture.ids.reversed()
        #expect(found == [newest, Array(newest.prefix(30)), Array(newest.prefix(30))])
    }
}
