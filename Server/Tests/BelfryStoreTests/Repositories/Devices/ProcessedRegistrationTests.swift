import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// A device's registrations as operators see them.
struct ProcessedRegistrationTests {
    private static let rejected = [
        RejectedField(field: "attributes.shoe", reason: "undefinedAttribute", message: "No.")
    ]

    @Test(
        "REG-20, REG-25: the newest processed registration is found, despite waiting or superseded ones",
        arguments: Engine.allCases
    )
    func newest(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let (none, first, second) = try await store.write { connection in
            try connection.register(1, .received)
            let none = try connection.registrations.newestProcessed(of: 1)
            try connection.register(2, .partlyRejected, rejected: Self.rejected)
            try connection.register(1, .superseded)
            try connection.register(2, .superseded)
            try connection.register(3, .received)
            try connection.register(9, .processed, of: 2)
            let first = try connection.registrations.newestProcessed(of: 1)
            try connection.register(4, .processed)
            return (none, first, try connection.registrations.newestProcessed(of: 1))
        }
        #expect(none == nil)
        #expect(first?.revision == 2 && first?.status == .partlyRejected)
        #expect(first?.rejected == Self.rejected && first?.processedAt == seconds(2))
        #expect(second?.revision == 4 && second?.status == .processed)
        #expect(second?.rejected == [] && second?.processedAt == seconds(4))
    }

    @Test("REG-20: it is found by an index of its device, however many there are", arguments: Engine.allCases)
    func plan(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        try await store.write { connection in
            for device in 1...20 as ClosedRange<Int64> {
                for revision in 1...20 as ClosedRange<Int64> {
                    try connection.register(revision, .processed, of: device)
                }
            }
        }
        try await store.write { try $0.analyze(store.engine) }
        let plan = try await Self.plan(
            of: RegistrationRepository.newestProcessedQuery.rowSQL, [.integer(7 as Int64)], in: store, engine
        )
        #expect(!plan.contains("SCAN ") && !plan.contains("Seq Scan"), "\(plan)")
        // PostgreSQL may as well sort the few rows of one device.
        if engine == .sqlite {
            #expect(plan.contains("registrations_by_revision") && !plan.contains("TEMP B-TREE"), "\(plan)")
        }
    }

    @Test("REG-25: the newest for a contact is found by an index, however many there are", arguments: Engine.allCases)
    func contactPlans(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine, isRecycled: false)
        try await store.write { connection in
            // Dead ones beside those that live: few enough that to join them all would look cheaper.
            let devices = try connection.makeDevices(600, app: 1)
            try connection.dormantDevices.take(Array(devices.suffix(300)), app: 1)
            for device in 1...20 as ClosedRange<Int64> {
                for revision in 1...20 as ClosedRange<Int64> {
                    try connection.register(revision, .processed, of: device, contact: revision % 10 + 1)
                }
            }
        }
        try await store.write { try $0.analyze(store.engine) }
        let (one, many): (SQLValue, SQLValue) = (.integer(7 as Int64), .integer(56 as Int64))
        let newer = RegistrationRepository.newerForContactQuery.rowSQL
        var plans = [try await Self.plan(of: newer, [one, one, .integer(0 as Int64), many], in: store, engine)]
        for table in DeviceTable.allCases {
            let newest = RegistrationRepository.newestOfEachContactSQL(in: table)
            let plan = try await Self.plan(of: newest, [one, many, one], in: store, engine)
            #expect(engine == .sqlite || plan.contains("Index Cond: (id = r.device_id)"), "\(plan)")
            plans.append(plan)
        }
        for plan in plans {
            #expect(!plan.contains("SCAN ") && !plan.contains("Seq Scan"), "\(plan)")
            if engine == .sqlite {
                #expect(plan.contains("registrations_by_contact") && !plan.contains("TEMP B-TREE"), "\(plan)")
            }
        }
    }

    @Test("REG-25: of each device the newest for a contact is found, also after it moved", arguments: Engine.allCases)
    func newestForContact(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let (before, after) = try await store.write { connection in
            for revision in 1...3 as ClosedRange<Int64> { try connection.register(revision, .processed, contact: 8) }
            try connection.register(4, .processed, contact: 9)
            try connection.register(2, .processed, of: 2, contact: 8)
            try connection.register(5, .superseded, of: 2)
            let before = try connection.registrations.newer(than: 1, for: 8, of: [1, 2, 3], limit: 20)
            try connection.eventMoves.begin(of: 1, from: 8, to: 9)
            let after = try [8, 9].flatMap {
                try connection.registrations.newer(than: 0, for: $0, of: [1, 2], limit: 1)
            }
            return (before, after)
        }
        #expect(before.map(\.device) == [1, 1, 2] && before.map(\.revision) == [3, 2, 2])
        #expect(after.map(\.device) == [2, 1] && after.map(\.revision) == [2, 4])
        #expect(after.map(\.contact) == [8, 9])
    }

    @Test(
        "REG-25, SEC-8: of what stands still on its way only the newest counts, also where the device has come back",
        arguments: Engine.allCases)
    func onItsWay(_ engine: Engine) async throws {
        let store = try await TestStore.withApps(engine)
        let (found, kept) = try await store.write { connection -> ([[Int64]], [[Int64]]) in
            let device = try connection.makeDevices(1, app: 1)[0]
            try connection.makeContacts(9)
            func newest() throws -> [Int64] {
                try connection.registrations.newestOfEachContact(1...100, app: 1).rows.map(\.revision)
            }
            // Of three the newest has moved.
            for revision: Int64 in [1, 2] { try connection.register(revision, .processed, of: device, contact: 8) }
            try connection.register(3, .processed, of: device, contact: 9)
            try connection.execute(
                "INSERT INTO event_moves (device_id, contact_id, other_id, after_event) VALUES (?, 8, 9, '')",
                [.integer(device)]
            )
            let before = try newest()
            for revision: Int64 in [4, 5] { try connection.register(revision, .processed, of: device, contact: 8) }
            let back = try newest()
            // It leaves again.
            try connection.eventMoves.begin(of: device, from: 8, to: 9)
            let after = try newest()
            let left = try [8, 9].map { (contact: Int64) in
                try connection.query(
                    "SELECT revision FROM registrations WHERE contact_id = ? ORDER BY revision", [.integer(contact)]
                ) { $0.integer(0) }
            }
            return ([before, back, after], left)
        }
        #expect(found == [[3], [5, 3], [5]])
        #expect(kept == [[1, 2, 4], [3, 5]])
    }

    private static func plan(
        of sql: SQLText, _ arguments: [SQLValue], in store: TestStore, _ engine: Engine
    ) async throws -> String {
        try await store.read { try $0.plan(of: sql, arguments, engine) }
    }
}

extension SQLConnection {
    /// A registration that was received at the epoch, and processed so many seconds later as its revision says.
    fileprivate func register(
        _ revision: Int64, _ status: ReceiptStatus, rejected: [RejectedField] = [], of device: Int64 = 1,
        contact: Int64? = nil
    ) throws {
        let id = "\(revision) \(status.rawValue)"
        try registrations.insert(
            device: device, snapshot: snapshot(id, revision: revision), requestOrder: 0, now: storeEpoch
        )
        guard status != .received, let row = try registrations.find(device: device, registrationID: id) else { return }
        try registrations.finish(
            row.key, status: status, rejected: rejected, contact: contact, now: seconds(Double(revision))
        )
    }
}
