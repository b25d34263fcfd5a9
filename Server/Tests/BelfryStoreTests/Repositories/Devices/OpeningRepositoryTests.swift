import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// The last opening is in a narrow table, and in the wide rows for the program of the version before.
struct OpeningRepositoryTests {
    private static let hour: TimeInterval = 3_600
    private static let wide = ["devices", "contacts", "audience_1"]

    /// A device of app 1 that belongs to a contact.
    private static func makeDevice(_ connection: any SQLConnection) throws -> (device: Int64, contact: Int64) {
        let contact = try connection.contacts.findOrInsert(app: 1, key: "anna", known: true, now: storeEpoch)
        var device = try connection.devices.findOrInsert(app: 1, client: try client(1), now: storeEpoch)
        device.contact = contact
        try connection.devices.save(device)
        return (device.id, contact)
    }

    private static func open(
        _ connection: any SQLConnection, _ device: Int64, _ contact: Int64, at hours: TimeInterval
    ) throws {
        try connection.devices.opened(device, app: 1, at: seconds(hours * hour))
        try connection.contacts.opened(contact, at: seconds(hours * hour))
    }

    /// Of the device and of its contact.
    private static func openings(_ connection: any SQLConnection, _ device: Int64, _ contact: Int64) throws -> [Date?] {
        [
            try connection.devices.find(id: device)?.lastOpenedAt,
            try connection.contacts.find(id: contact)?.lastOpenedAt,
        ]
    }

    @Test(
        "FLEET-2: an opening writes neither the device's row nor the audience's nor the contact's",
        arguments: Engine.allCases)
    func narrow(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (device, contact) = try await store.write { try Self.makeDevice($0) }
        try await store.write { connection in
            try connection.noteRowVersions(of: Self.wide, engine)
            try Self.open(connection, device, contact, at: 1)
        }
        func versions() async throws -> [[String]] {
            try await store.read { connection in
                try Self.wide.map { try connection.rowVersions(of: $0, engine) }
            }
        }
        let before = try await versions()
        for hours in [2, 3, 24, 25, 7] as [TimeInterval] {
            try await store.write { try Self.open($0, device, contact, at: hours) }
        }
        #expect(try await versions() == before)
        let read = try await store.read { try Self.openings($0, device, contact) }
        #expect(read == [Date?](repeating: seconds(25 * Self.hour), count: 2), "an earlier one counts for nothing")
        // Once a day, for the program of the version before.
        try await store.write { try Self.open($0, device, contact, at: 25.5) }
        let after = try await versions()
        for (former, later) in zip(before, after) { #expect(former != later) }
    }

    @Test(
        "FLEET-2: events, badges and silent pushes write no row of devices, audiences and contacts",
        arguments: Engine.allCases)
    func others(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (device, contact) = try await store.write { try Self.makeDevice($0) }
        let (before, after) = try await store.write { connection in
            try connection.noteRowVersions(of: Self.wide, engine)
            func versions() throws -> [[String]] {
                try Self.wide.map { try connection.rowVersions(of: $0, engine) }
            }
            let before = try versions()
            let isStored = try connection.events.insert(
                try event("e-1"), device: device, app: 1, contact: contact, now: storeEpoch
            )
            let badge = try connection.badges.set(count: 3, baseRevision: nil, device: device, maximum: 9)
            try connection.silentPushes.ask(.identity, devices: [device], now: storeEpoch)
            #expect(isStored && badge.count == 3)
            return (before, try versions())
        }
        #expect(before == after)
    }

    @Test(
        """
        FLEET-2, FLEET-1: the program of the version before sees an opening within a day, and ours sees what it \
        writes
        """,
        arguments: Engine.allCases
    )
    func formerProgram(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (device, contact) = try await store.write { try Self.makeDevice($0) }
        // Openings, and what the former program sees after each.
        let story: [(TimeInterval, TimeInterval)] = [(1, 1), (12, 1), (25, 1), (26, 26), (49, 26), (60, 60)]
        for (hours, seen) in story {
            let (former, own) = try await store.write { connection in
                try Self.open(connection, device, contact, at: hours)
                return (
                    try connection.openingsAsBefore(device, app: 1, contact: contact),
                    try Self.openings(connection, device, contact)
                )
            }
            #expect(former == [Date?](repeating: seconds(seen * Self.hour), count: 3), "\(hours)")
            #expect(own == [Date?](repeating: seconds(hours * Self.hour), count: 2), "\(hours)")
        }
        let condition = Condition.deviceFact(.lastOpenedAt, .greaterOrEqual(.date(seconds(70 * Self.hour))))
        func chosen() async throws -> Int {
            try await store.ask { asked in
                try asked.count(app: 1, audience: try asked.connection.audienceSQL(app: 1).compile(condition))
            }
        }
        #expect(try await chosen() == 0)
        try await store.write { connection in
            try connection.openAsBefore(device, app: 1, at: seconds(70 * Self.hour))
            try connection.openAsBefore(contact: contact, at: seconds(70 * Self.hour))
        }
        #expect(try await chosen() == 1)
        let own = try await store.read { try Self.openings($0, device, contact) }
        #expect(own == [Date?](repeating: seconds(70 * Self.hour), count: 2))
        // An earlier one of ours, which the former program knows nothing of, counts for nothing.
        try await store.write { try Self.open($0, device, contact, at: 65) }
        #expect(try await store.read { try Self.openings($0, device, contact) } == own)
        #expect(try await chosen() == 1)
    }

    @Test("FLEET-2: a row that is saved keeps its opening, or has none any more", arguments: Engine.allCases)
    func saved(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (device, contact) = try await store.write { try Self.makeDevice($0) }
        let read = try await store.write { connection -> [[Date?]] in
            var read: [[Date?]] = []
            for hours in [10, 20, 5, nil, 5] as [TimeInterval?] {
                guard var row = try connection.devices.find(id: device),
                    var owner = try connection.contacts.find(id: contact)
                else { continue }
                row.lastOpenedAt = hours.map { seconds($0 * Self.hour) }
                owner.lastOpenedAt = row.lastOpenedAt
                try connection.devices.save(row)
                try connection.contacts.save(owner, now: storeEpoch)
                read.append(try Self.openings(connection, device, contact))
                // The audience's row says what the device's own does.
                let former = try connection.openingsAsBefore(device, app: 1, contact: contact)
                #expect(Set(former).count == 1)
            }
            return read
        }
        let hours: [TimeInterval?] = [10, 20, 20, nil, 5]
        let expected = hours.map { hours in
            [Date?](repeating: hours.map { seconds($0 * Self.hour) }, count: 2)
        }
        #expect(read == expected)
    }

    @Test("REG-36, ID-8: an opening goes with its device, and with its contact", arguments: Engine.allCases)
    func erased(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (device, contact) = try await store.write { try Self.makeDevice($0) }
        func count() async throws -> [Int64?] {
            try await store.read { connection in
                try ["device_openings", "contact_openings"].map { table in
                    try connection.first(SQLText(ofTest: "SELECT count(*) FROM \(table)"), []) { $0.integer(0) }
                }
            }
        }
        let guests = try await store.write { connection in
            let guests = try (1...3).map {
                try connection.contacts.findOrInsert(app: 1, key: "guest \($0)", known: false, now: storeEpoch)
            }
            for guest in guests { try connection.contacts.opened(guest, at: storeEpoch) }
            try Self.open(connection, device, contact, at: 1)
            // Of somebody who is not there.
            try Self.open(connection, 1_000, 1_000, at: 1)
            return guests
        }
        #expect(try await count() == [1, 4])
        try await store.write { try $0.contacts.redirect(guests[0], to: contact, now: storeEpoch) }
        #expect(try await count() == [1, 3])
        try await store.write { connection in
            // As the program of the version before merges contacts.
            try connection.execute(
                "UPDATE contacts SET merged_into = ?, last_opened_at = NULL WHERE id IN (?, ?)",
                [.integer(contact), .integer(guests[1]), .integer(guests[2])]
            )
            _ = try connection.contacts.deleteParts(of: contact, keeping: guests[1], limit: 10)
        }
        #expect(try await count() == [1, 2])
        try await store.write { connection in
            try connection.contacts.delete(contact, app: 1)
            try connection.devices.delete(device)
        }
        #expect(try await count() == [0, 0])
    }
}
