import BelfryServerTestSupport
import BelfryStore
import Testing

/// Openings that a program of schema 25 leaves when it erases a device or a contact.
struct OwnerlessOpeningTests {
    private static func numbers(_ connection: any SQLConnection, _ holder: OpeningHolder) throws -> [Int64] {
        switch holder {
        case .device:
            try connection.query("SELECT device_id FROM device_openings ORDER BY device_id", []) { $0.integer(0) }
        case .contact:
            try connection.query("SELECT contact_id FROM contact_openings ORDER BY contact_id", []) { $0.integer(0) }
        }
    }

    /// Five devices and contacts that have opened the app, of which the second, third and fifth are gone.
    private static func makePeople(_ connection: any SQLConnection, _ holder: OpeningHolder) throws -> [Int64] {
        let numbers: [Int64]
        switch holder {
        case .device:
            numbers = try connection.makeDevices(5, app: 1)
            for number in numbers { try connection.devices.opened(number, app: 1, at: seconds(1)) }
        case .contact:
            numbers = try (1...5).map {
                try connection.contacts.findOrInsert(app: 1, key: "c\($0)", known: true, now: storeEpoch)
            }
            for number in numbers { try connection.contacts.opened(number, at: seconds(1)) }
        }
        for place in [1, 2, 4] {
            switch holder {
            case .device: try connection.execute("DELETE FROM devices WHERE id = ?", [.integer(numbers[place])])
            case .contact: try connection.execute("DELETE FROM contacts WHERE id = ?", [.integer(numbers[place])])
            }
        }
        return numbers
    }

    @Test(
        "FLEET-2, REG-36: openings without an owner are found page by page and removed, and no others",
        arguments: Engine.allCases, [OpeningHolder.device, .contact])
    func pages(_ engine: Engine, _ holder: OpeningHolder) async throws {
        let store = try await TestStore.withApps(engine)
        let numbers = try await store.write { try Self.makePeople($0, holder) }
        #expect(try await store.read { try Self.numbers($0, holder) } == numbers)
        var pages: [AgedRows<Int64>] = []
        var position: Int64? = 0
        while let after = position {
            let page = try await store.read {
                try $0.housekeeping.ownerlessOpenings(of: holder, after: after, limit: 2)
            }
            pages.append(page)
            position = page.next
        }
        #expect(pages.map(\.expired) == [[numbers[1]], [numbers[2]], [numbers[4]]])
        #expect(pages.map(\.next) == [numbers[1], numbers[3], nil])
        let left = try await store.write { connection in
            // What has an owner by now stays.
            try connection.housekeeping.deleteOwnerlessOpenings(of: holder, numbers)
            return try Self.numbers(connection, holder)
        }
        #expect(left == [numbers[0], numbers[3]])
        let rest = try await store.read { try $0.housekeeping.ownerlessOpenings(of: holder, after: 0, limit: 9) }
        #expect(rest == AgedRows<Int64>(expired: [], next: nil))
    }

    @Test("FLEET-2: a dormant device keeps its last opening", arguments: Engine.allCases)
    func dormant(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let found = try await store.write { connection in
            let numbers = try connection.makeDevices(2, app: 1)
            for number in numbers { try connection.devices.opened(number, app: 1, at: seconds(1)) }
            try connection.dormantDevices.take([numbers[0]], app: 1)
            return try connection.housekeeping.ownerlessOpenings(of: .device, after: 0, limit: 9)
        }
        #expect(found == AgedRows<Int64>(expired: [], next: nil))
    }
}
