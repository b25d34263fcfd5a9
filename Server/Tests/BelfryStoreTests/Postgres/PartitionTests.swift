import BelfryModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Synchronization
import Testing

/// FLEET-3: the audit log on PostgreSQL. The clock of these tests stands in November 2026, so the first partition goes
/// until March 2027.
@Suite("Partitions on PostgreSQL")
struct PartitionTests {
    private static let whole = ["audit_log_first", "audit_log_rest"]

    /// Writes beside the division.
    private final class Writer: Sendable {
        let written = Mutex(0)
        let isOver = Mutex(false)
    }

    private static func moment(_ text: String) throws -> Date { try #require(Timestamp.date(text)) }

    @discardableResult
    private static func keep(
        _ store: TestStore, at now: Date = storeEpoch, droppingBefore moment: Date = Date(milliseconds: 0)
    ) async throws -> PartitionUpkeep {
        try await store.database.keepPartitions(of: .auditLog, at: now, droppingBefore: moment)
    }

    private static func append(_ moments: [Date], to database: any SQLDatabase) async throws {
        try await database.write { connection in
            for (number, at) in moments.enumerated() {
                try connection.audit.append(
                    AuditEntry(
                        at: at, actor: "user:\(number % 7)", app: "shop", action: number % 3 == 0 ? "read" : "change",
                        target: nil
                    )
                )
            }
        }
    }

    /// Nil: the table is in one piece.
    private static func names(_ store: TestStore) async throws -> [String]? {
        try await found(store).parts?.map(\.name)
    }

    private static func found(_ store: TestStore) async throws -> TablePartitions {
        try #require(try await store.read { try $0.partitions(of: .auditLog) })
    }

    /// How many constraints of a division are there.
    private static let bounds: SQLText = """
        SELECT count(*) FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace
        WHERE n.nspname = current_schema() AND c.conname = 'audit_log_end'
        """

    /// How many constraints of the rest are there that keep it free of a month.
    private static let gaps: SQLText = """
        SELECT count(*) FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace
        WHERE n.nspname = current_schema() AND c.conname = 'audit_log_rest_gap'
        """

    private static func number(_ store: TestStore, _ sql: SQLText) async throws -> Int64 {
        try await store.read { try $0.first(sql, []) { $0.integer(0) } ?? -1 }
    }

    @Test("FLEET-3: SQLite has no partitions, and nothing is done there")
    func sqlite() async throws {
        let store = try TestStore(.sqlite)
        #expect(try await Self.keep(store) == PartitionUpkeep())
        #expect(try await store.read { try $0.partitions(of: .auditLog) } == nil)
    }

    @Test(
        "FLEET-3, FLEET-1: a table with rows of several months is divided where it lies, while another process writes",
        .timeLimit(.minutes(10))
    )
    func divided() async throws {
        let store = try TestStore(.postgres)
        let other = try store.another()
        defer { try? other.close() }
        let months = (0..<300).map { storeEpoch.addingTimeInterval(-86_400 * Double($0)) }
        try await Self.append(months, to: store.database)
        let table = try await Self.number(store, "SELECT pg_relation_filenode('audit_log')")
        let index = try await Self.number(store, "SELECT pg_relation_filenode('audit_log_changes_by_actor')")
        let writer = Writer()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // By one statement that was prepared before, as a program of the version before has it.
                while !writer.isOver.withLock({ $0 }) {
                    try await Self.append([storeEpoch], to: other.database)
                    writer.written.withLock { $0 += 1 }
                }
            }
            while writer.written.withLock({ $0 < 5 }) { await Task.yield() }
            var isDivided = false
            // Its writes may be in the way for a moment.
            while !isDivided { isDivided = try await Self.keep(store).isDivided }
            let before = writer.written.withLock { $0 }
            while writer.written.withLock({ $0 < before + 5 }) { await Task.yield() }
            writer.isOver.withLock { $0 = true }
            try await group.waitForAll()
        }
        #expect(try await Self.names(store) == Self.whole)
        // No row and no index was written anew.
        #expect(try await Self.number(store, "SELECT pg_relation_filenode('audit_log_first')") == table)
        let kept = try await Self.number(store, "SELECT pg_relation_filenode('audit_log_first_changes_by_actor')")
        #expect(kept == index)
        let count = Int64(300 + writer.written.withLock { $0 })
        #expect(try await Self.number(store, "SELECT count(*) FROM audit_log") == count)
        #expect(try await Self.number(store, "SELECT count(DISTINCT id) FROM audit_log") == count)
        let newest = try await Self.number(store, "SELECT max(id) FROM audit_log")
        // Lists go on over partitions, the newest first.
        try await Self.append([try Self.moment("2027-04-01T00:00:00Z"), storeEpoch], to: store.database)
        let ids = try await store.read { connection in
            try connection.audit.list(AuditSearch(app: "shop"), before: nil, window: 9, limit: 3).map(\.id)
        }
        #expect(ids == ids.sorted(by: >) && ids.count == 3 && ids[1] > newest && ids[2] == newest, "\(ids)")
        #expect(try await Self.number(store, "SELECT count(*) FROM audit_log_rest") == 1)
        #expect(try await Self.number(store, Self.bounds) == 0)
        // Once is enough.
        #expect(try await Self.keep(store) == PartitionUpkeep())
    }

    @Test(
        "FLEET-3: a lock that somebody holds for long leaves the table as it was; the next time it is divided",
        .timeLimit(.minutes(10))
    )
    func heldUp() async throws {
        let store = try TestStore(.postgres)
        let other = try store.another()
        defer { try? other.close() }
        try await Self.append([storeEpoch], to: store.database)
        let (begun, announcement) = AsyncStream<Void>.makeStream()
        let release = Handover<Bool>()
        async let reading: Void = other.database.read { connection in
            _ = try connection.first("SELECT count(*) FROM audit_log", []) { $0.integer(0) }
            announcement.finish()
            _ = release.wait()
        }
        for await _ in begun {}
        let upkeep = try? await Self.keep(store)
        let names = try? await Self.names(store)
        let bounds = try? await Self.number(store, Self.bounds)
        try? await Self.append([try Self.moment("2030-01-01T00:00:00Z")], to: store.database)
        release.give(true)
        try await reading
        var expected = PartitionUpkeep()
        expected.isHeldUp = true
        #expect(upkeep == expected && names == nil && bounds == 0)
        #expect(try await Self.number(store, "SELECT count(*) FROM audit_log") == 2)
        // A row from far ahead is told, and refused by nobody.
        await #expect(throws: StoreError.self) { try await Self.keep(store) }
        _ = try await store.write { try $0.execute("DELETE FROM audit_log WHERE at > ?", [.date(storeEpoch)]) }
        #expect(try await Self.keep(store).isDivided)
        #expect(try await Self.names(store) == Self.whole)
    }

    @Test("FLEET-3: what a process that died has left of a division is put aside by the next one")
    func leftBehind() async throws {
        let store = try TestStore(.postgres)
        try await Self.append([storeEpoch], to: store.database)
        _ = try await store.write {
            try $0.execute("ALTER TABLE audit_log ADD CONSTRAINT audit_log_end CHECK (at < 5) NOT VALID")
        }
        #expect(try await Self.keep(store).isDivided)
        try await Self.append([storeEpoch], to: store.database)
        #expect(try await Self.number(store, "SELECT count(*) FROM audit_log_first") == 2)
    }

    @Test("FLEET-3: partitions are made three months ahead, as time goes on; a missing one is told")
    func ahead() async throws {
        let store = try TestStore(.postgres)
        try await Self.keep(store)
        let december = try Self.moment("2026-12-01T00:00:00Z")
        #expect(try await Self.found(store).overdue(at: december).isEmpty)
        #expect(try await Self.keep(store, at: december).made == 1)
        #expect(try await Self.names(store) == ["audit_log_2027_03"] + Self.whole)
        // For half a year nobody has looked.
        let june = try Self.moment("2027-06-15T00:00:00Z")
        #expect(try await Self.found(store).overdue(at: june).map(\.description) == ["2027-06", "2027-07", "2027-08"])
        #expect(try await Self.keep(store, at: june).made == 4)
        #expect(try await Self.found(store).overdue(at: june).isEmpty)
        try await Self.append([june], to: store.database)
        #expect(try await Self.number(store, "SELECT count(*) FROM audit_log_2027_06") == 1)
        _ = try await store.write { try $0.execute("DROP TABLE audit_log_2027_07, audit_log_rest") }
        #expect(try await Self.found(store).overdue(at: june).map(\.description) == ["2027-07"])
        #expect(try await Self.keep(store, at: june).made == 1)
        #expect(try await Self.found(store).hasRest)
    }

    @Test("FLEET-3: rows of a clock that has jumped go to the rest, and keep no later partition from being made")
    func clockJump() async throws {
        let store = try TestStore(.postgres)
        try await Self.keep(store)
        let (march, may) = (try Self.moment("2027-03-02T00:00:00Z"), try Self.moment("2027-05-05T00:00:00Z"))
        let april = try Self.moment("2027-04-10T00:00:00Z")
        let far = try Self.moment("2099-01-01T00:00:00Z")
        try await Self.append([may, may, far], to: store.database)
        // Too many to be moved while others wait.
        _ = try await store.write { connection in
            try connection.execute(
                "INSERT INTO audit_log (at, actor, action) SELECT ?, 'root', 'x' FROM generate_series(1, 10001)",
                [.date(april)]
            )
        }
        #expect(try await Self.number(store, "SELECT count(*) FROM audit_log_rest") == 10_004)
        #expect(try await Self.keep(store, at: march).made == 3)
        #expect(try await Self.found(store).missing(at: march).map(\.description) == ["2027-04"])
        #expect(try await Self.number(store, "SELECT count(*) FROM audit_log_2027_05") == 2)
        #expect(try await Self.number(store, "SELECT count(*) FROM audit_log_rest") == 10_002)
        // They can still be written, read and removed.
        try await Self.append([april], to: store.database)
        #expect(try await Self.number(store, "SELECT count(*) FROM audit_log") == 10_005)
        _ = try await store.write { try $0.execute("DELETE FROM audit_log WHERE at = ?", [.date(april)]) }
        #expect(try await Self.keep(store, at: march).made == 1)
        #expect(try await Self.number(store, "SELECT count(*) FROM audit_log_rest") == 1)
    }

    @Test("FLEET-3: beside a rest that holds much a month is made for which it has nothing, before the month begins")
    func largeRest() async throws {
        let store = try TestStore(.postgres)
        try await Self.keep(store)
        let (february, june) = (try Self.moment("2027-02-10T00:00:00Z"), try Self.moment("2027-06-15T00:00:00Z"))
        try await Self.fillRest(store)
        #expect(try await Self.keep(store, at: february).made == 3)
        #expect(try await Self.found(store).missing(at: february).isEmpty)
        #expect(try await Self.number(store, Self.gaps) == 0)
        // For months nobody has looked, so the month under way has none: nothing refuses what is written now.
        #expect(try await Self.keep(store, at: june).made == 3)
        #expect(try await Self.found(store).missing(at: june).map(\.description) == ["2027-06"])
        let july = try Self.moment("2027-07-10T00:00:00Z")
        try await Self.append([june, try Self.moment("2027-10-10T00:00:00Z")], to: store.database)
        // A row of the new month lies in the rest, and to move it would take as long as the rest is.
        #expect(try await Self.keep(store, at: july).made == 0)
        #expect(try await Self.found(store).missing(at: july).map(\.description) == ["2027-10"])
        let far = try Self.moment("2099-01-01T00:00:00Z")
        _ = try await store.write { try $0.execute("DELETE FROM audit_log WHERE at = ?", [.date(far)]) }
        #expect(try await Self.keep(store, at: july).made == 1)
        #expect(try await Self.number(store, "SELECT count(*) FROM audit_log_2027_10") == 1)
        #expect(try await Self.number(store, "SELECT count(*) FROM audit_log_rest") == 1)
    }

    @Test(
        "FLEET-3: a lock of somebody else's leaves a large rest as it was; the next time the month is made",
        .timeLimit(.minutes(10))
    )
    func largeRestHeldUp() async throws {
        let store = try TestStore(.postgres)
        let other = try store.another()
        defer { try? other.close() }
        try await Self.keep(store)
        let february = try Self.moment("2027-02-10T00:00:00Z")
        try await Self.fillRest(store)
        let (begun, announcement) = AsyncStream<Void>.makeStream()
        let release = Handover<Bool>()
        // Looks into the first partition alone, and has a lock of it and of the whole: only to attach has to wait.
        async let reading: Void = other.database.read { connection in
            _ = try connection.first("SELECT count(*) FROM audit_log WHERE at = 0", []) { $0.integer(0) }
            announcement.finish()
            _ = release.wait()
        }
        for await _ in begun {}
        let upkeep = try? await Self.keep(store, at: february)
        let gaps = try? await Self.number(store, Self.gaps)
        release.give(true)
        try await reading
        var expected = PartitionUpkeep()
        expected.isHeldUp = true
        #expect(upkeep == expected && gaps == 0)
        try await Self.append([try Self.moment("2027-03-10T00:00:00Z")], to: store.database)
        _ = try await store.write { try $0.execute("DELETE FROM audit_log WHERE at < ?", [.date(.distantFuture)]) }
        #expect(try await Self.keep(store, at: february).made == 3)
    }

    @Test("FLEET-3: what a process that died has left on the rest refuses nothing after the next upkeep")
    func gapLeftBehind() async throws {
        let store = try TestStore(.postgres)
        try await Self.keep(store)
        let march = try Self.moment("2027-03-10T00:00:00Z")
        for validity: SQLText in ["NOT VALID", ""] {
            _ = try await store.write {
                try $0.execute(
                    "ALTER TABLE audit_log_rest ADD CONSTRAINT audit_log_rest_gap CHECK (at < 5) \(validity)")
            }
            await #expect(throws: StoreError.self) { try await Self.append([march], to: store.database) }
            try await Self.keep(store)
            #expect(try await Self.number(store, Self.gaps) == 0)
            try await Self.append([march], to: store.database)
            _ = try await store.write { try $0.execute("DELETE FROM audit_log WHERE at = ?", [.date(march)]) }
        }
    }

    /// More than is looked through while others wait, of a clock that has jumped.
    private static func fillRest(_ store: TestStore) async throws {
        let far = try moment("2099-01-01T00:00:00Z")
        _ = try await store.write { connection in
            try connection.execute(
                "INSERT INTO audit_log (at, actor, action) SELECT ?, 'root', 'x' FROM generate_series(1, ?)",
                [.date(far), .integer(PartitionMaking.mostLookedThrough + 1)]
            )
        }
    }

    @Test("FLEET-3, ADM-1: partitions of which every row is too old are dropped; the rest goes by rows")
    func retention() async throws {
        let store = try TestStore(.postgres)
        try await Self.append([storeEpoch], to: store.database)
        try await Self.keep(store)
        let end = try Self.moment("2027-03-01T00:00:00Z")
        let now = try Self.moment("2028-04-05T00:00:00Z")
        let before = Date(milliseconds: end.milliseconds - 1)
        try await Self.append([before, end], to: store.database)
        try await Self.keep(store, at: end)
        #expect(try await Self.keep(store, at: now, droppingBefore: before).dropped == 0)
        #expect(try await Self.keep(store, at: now, droppingBefore: end).dropped == 1)
        #expect(try await Self.names(store)?.contains("audit_log_first") == false)
        #expect(try await Self.number(store, "SELECT count(*) FROM audit_log") == 1)
        // A clock that is set back writes into the rest; its rows go one by one, as the version before removes them.
        try await Self.append([storeEpoch], to: store.database)
        let removed = try await store.write { connection in
            [
                try connection.execute(
                    "DELETE FROM audit_log WHERE id IN (SELECT id FROM audit_log WHERE at < ? ORDER BY at LIMIT ?)",
                    [.date(end), .integer(9)]
                ),
                try connection.housekeeping.deleteAuditLines(before: now, limit: 9),
            ]
        }
        #expect(removed == [1, 1])
        #expect(try await Self.number(store, "SELECT count(*) FROM audit_log") == 0)
    }

    @Test("FLEET-3: what is asked for by its time is looked for in its partitions alone")
    func prunes() async throws {
        let store = try TestStore(.postgres)
        try await Self.append([storeEpoch], to: store.database)
        try await Self.keep(store)
        try await Self.keep(store, at: try Self.moment("2027-06-15T00:00:00Z"))
        let plan = try await store.read {
            try $0.plan(
                of: HousekeepingRepository.deleteAuditLinesSQL(limit: 1_000), [.date(storeEpoch), .date(storeEpoch)],
                .postgres
            )
        }
        // The plan is made once, for whatever moment, so it names all of which it may remove something.
        let steps = plan.split(separator: "\n").filter { !$0.contains("Delete on") }.joined(separator: "\n")
        #expect(steps.contains("audit_log_first"), "\(plan)")
        #expect(!steps.contains("audit_log_2027") && !steps.contains("audit_log_rest"), "\(plan)")
    }

    @Test("FLEET-3, FLEET-1: the next version may change a table in partitions as any other")
    func nextVersion() async throws {
        let store = try TestStore(.postgres)
        try await Self.append([storeEpoch], to: store.database)
        try await Self.keep(store)
        try await store.write { connection in
            try connection.growToNextVersion(.postgres)
            try connection.execute("CREATE INDEX audit_log_by_next_version ON audit_log (of_next_version)")
        }
        let june = try Self.moment("2027-06-15T00:00:00Z")
        #expect(try await Self.keep(store, at: june).made == 4)
        try await Self.append([june], to: store.database)
        #expect(try await Self.number(store, "SELECT sum(of_next_version) FROM audit_log") == 14)
        let indexes = try await Self.number(
            store,
            """
            SELECT count(*) FROM pg_indexes WHERE schemaname = current_schema() AND tablename = 'audit_log_2027_06'
            """
        )
        #expect(indexes == 6)
    }
}
