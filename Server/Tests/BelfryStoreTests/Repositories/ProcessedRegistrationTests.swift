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
        try await store.write { _ = try $0.execute("ANALYZE") }
        let plan = try await store.read { connection in
            if engine == .postgres { try connection.execute("SET LOCAL enable_seqscan = off") }
            let words: SQLText = engine == .sqlite ? "EXPLAIN QUERY PLAN" : "EXPLAIN"
            let sql: SQLText = "\(words) \(RegistrationRepository.newestProcessedSQL)"
            return try connection.query(sql, [.integer(7 as Int64)]) { $0.text(engine == .sqlite ? 3 : 0) }
                .joined(separator: "\n")
        }
        #expect(!plan.contains("SCAN ") && !plan.contains("Seq Scan"), "\(plan)")
        // PostgreSQL may as well sort the few rows of one device.
        if engine == .sqlite {
            #expect(plan.contains("registrations_by_revision") && !plan.contains("TEMP B-TREE"), "\(plan)")
        }
    }
}

extension SQLConnection {
    /// A registration that was received at the epoch, and processed so many seconds later as its revision says.
    fileprivate func register(
        _ revision: Int64, _ status: ReceiptStatus, rejected: [RejectedField] = [], of device: Int64 = 1
    ) throws {
        let id = "\(revision) \(status.rawValue)"
        try registrations.insert(
            device: device, snapshot: snapshot(id, revision: revision), requestOrder: 0, now: storeEpoch
        )
        guard status != .received, let row = try registrations.find(device: device, registrationID: id) else { return }
        try registrations.finish(row.id, status: status, rejected: rejected, now: seconds(Double(revision)))
    }
}
