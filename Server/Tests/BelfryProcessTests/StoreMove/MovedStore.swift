import BelfrySQLite
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Synchronization
import Testing

@testable import BelfryCommand
@testable import BelfryPostgres

/// A store on SQLite and an empty schema on PostgreSQL, both gone after the test. What asks PostgreSQL has a thread
/// of its own.
final class MovedStore: Sendable {
    /// Ends a move in the middle.
    struct Interruption: Error {}

    let source: TestStore
    /// The schema's name.
    let target: String

    fileprivate init() async throws {
        source = try TestStore(.sqlite)
        let target = "belfry-move-\(UUID().uuidString)"
        self.target = target
        try await offPool { try TestPostgres.makeSchema(target) }
    }

    fileprivate func dropTarget() async throws {
        try await offPool { [target] in TestPostgres.dropSchema(target) }
    }

    var file: URL { source.place.appending(path: "belfry.sqlite") }

    var settings: PostgresSettings {
        get throws { try settings(user: nil) }
    }

    /// - Parameter user: another one than the tests'.
    private func settings(user: String?) throws -> PostgresSettings {
        var text = try TestPostgres.text(schema: target)
        if let user { text += "&user=\(user)" }
        return PostgresSettings(
            address: try PostgresAddress(text), questions: .patient, now: { Date() }, jitter: { 0.5 },
            citusCatalog: CitusStandIn.catalog)
    }

    /// Lends a mover whose transactions are small.
    func withMover<Output: Sendable>(
        rows: Int = 3, bytes: Int = 8 << 20, replacesNull: Bool = false, user: String? = nil,
        tell: @escaping @Sendable (MoveProgress) throws -> Void = { _ in },
        _ body: @escaping @Sendable (StoreMover) throws -> Output
    ) async throws -> Output {
        try await waitUntilFree()
        return try await offPool { [self] in
            try enter(
                limit: StoreMover.RangeLimit(rows: rows, bytes: bytes), replacesNull: replacesNull, user: user,
                tell: tell, body)
        }
    }

    private func enter<Output>(
        limit: StoreMover.RangeLimit, replacesNull: Bool = false, user: String? = nil,
        tell: @escaping (MoveProgress) throws -> Void = { _ in }, _ body: (StoreMover) throws -> Output
    ) throws -> Output {
        try SQLiteSource.read(path: file.path) { source in
            try PostgresTarget.enter(try settings(user: user)) { target in
                try body(
                    StoreMover(
                        source: source, target: target, targetName: "the target", limit: limit,
                        replacesNull: replacesNull, now: { Date(timeIntervalSince1970: 1_795_262_400) }, tell: tell))
            }
        }
    }

    @discardableResult
    func move(user: String? = nil) async throws -> [MoveReport.Table] {
        try await withMover(user: user) { try $0.move().tables }
    }

    /// Moves on the thread that calls, which is that of another move.
    func moveBesideAnother() throws {
        _ = try enter(limit: StoreMover.RangeLimit(rows: 3)) { try $0.move() }
    }

    /// Begins a move that ends after so many of its steps.
    func beginMove(steps: Int, sourceLocation: SourceLocation = #_sourceLocation) async {
        await #expect(throws: (any Error).self, sourceLocation: sourceLocation) {
            try await self.withMover(tell: Self.interruption(after: steps)) { try $0.move() }
        }
    }

    /// What a mover may tell so many times.
    static func interruption(after steps: Int) -> @Sendable (MoveProgress) throws -> Void {
        let left = Mutex(steps)
        return { _ in
            let isOver = left.withLock { left in
                left -= 1
                return left < 0
            }
            if isOver { throw Interruption() }
        }
    }

    /// How many rows the move under way has brought.
    var movedRows: Int {
        get async {
            let sum = try? await read { connection in
                try connection.first("SELECT coalesce(sum(moved), 0) FROM store_move_tables", []) {
                    Int($0.integer(0))
                }
            }
            return sum ?? 0
        }
    }

    /// Whether a move has its turn: for a moment also one that is dead.
    func isAtWork() async throws -> Bool {
        let turns = try await read { connection in
            try connection.first(
                """
                SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted
                    AND classid = hashtext('belfry move')::oid AND objid = hashtext(current_schema())::oid
                """, []
            ) { $0.integer(0) }
        }
        return turns != 0
    }

    /// Waits until the server has noticed the end of the move before. The next one waits for its turn for five seconds
    /// only, which are soon over on a busy machine.
    func waitUntilFree() async throws {
        try await eventually("nobody moves into the target any more", every: .milliseconds(2)) {
            try await isAtWork()
        } until: {
            !$0
        }
    }

    /// Runs a body while nobody can write to a table of the target.
    func withLocked<Output>(_ table: String, _ body: () async throws -> Output) async throws -> Output {
        let lock = try await offPool { [target] in try TableLock(table, schema: target) }
        let outcome: Result<Output, any Error>
        do {
            outcome = .success(try await body())
        } catch {
            outcome = .failure(error)
        }
        try await offPool { try lock.release() }
        return try outcome.get()
    }

    /// Runs statements on PostgreSQL, past everything.
    func script(_ sql: String) async throws {
        try await offPool { [target] in
            try PostgresScript.run(SQLText(ofTest: sql), at: try TestPostgres.address(schema: target))
        }
    }

    /// Reads PostgreSQL whatever its schema is.
    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        let usual = try settings(user: nil)
        return try await offPool { try PostgresInspection.read(usual, body) }
    }

    /// Whether both have the same rows in all tables of the source.
    func isEqual() async throws -> Bool {
        let (kinds, before) = try await source.read { connection in
            let kinds = try TableContents.kinds(connection)
            return (kinds, try TableContents(connection, kinds))
        }
        return try await read { try TableContents($0, kinds) } == before
    }
}

/// Runs a test with a store that has so many rows in each table, and clears it away however the test ends.
func withMovedStore(rows: Int, _ body: (MovedStore) async throws -> Void) async throws {
    let store = try await MovedStore()
    let outcome: Result<Void, any Error>
    do {
        if rows > 0 { try await store.source.write { try FilledTables(connection: $0).fill(rows: rows) } }
        outcome = .success(try await body(store))
    } catch {
        outcome = .failure(error)
    }
    try await store.dropTarget()
    try outcome.get()
}

/// A table that is locked against writes until this is released: a connection with an open transaction.
// The connection is used by one thread at a time: whoever has made it awaits each call.
private final class TableLock: @unchecked Sendable {
    private let link: PostgresLink

    init(_ table: String, schema: String) throws {
        link = try PostgresLink(TestPostgres.address(schema: schema).settings)
        try link.command(SQLText(ofTest: "BEGIN; LOCK TABLE \"\(table)\" IN SHARE MODE"))
    }

    func release() throws {
        try link.command("ROLLBACK")
    }
}
