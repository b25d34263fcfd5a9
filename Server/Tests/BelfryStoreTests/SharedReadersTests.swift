import BelfryServerTestSupport
import BelfryStore
import Testing

/// Reads that wait for a reader are served in order, whatever kind of caller waits.
struct SharedReadersTests {
    private struct Rejected: Error {}

    @Test("WIRE-26: a committed write is visible to every read that begins after it", arguments: Engine.allCases)
    func freshReads(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        for count in 1...50 {
            _ = try await store.write { try $0.makeApp("app-\(count)") }
            let (waiting, goingOn) = try await (
                store.read { try $0.apps.all().count }, store.database.readApart { try $0.apps.all().count }
            )
            #expect(waiting == count && goingOn == count)
        }
    }

    @Test(
        "WIRE-26: each of many concurrent reads gets its own result, and one that fails affects no other",
        arguments: Engine.allCases)
    func manyReads(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let app = try await store.write { try $0.makeApp("shop") }
        let outcomes = await withTaskGroup(of: (Int, Int64?).self) { group in
            for number in 0..<600 {
                group.addTask { (number, try? await Self.read(number, app, store)) }
            }
            return await group.reduce(into: [Int: Int64?]()) { $0[$1.0] = $1.1 }
        }
        for (number, result) in outcomes {
            #expect(result == (number % 7 == 0 ? nil : app + Int64(number)))
        }
    }

    @Test("WIRE-26: the completion of a read may start the next one", arguments: Engine.allCases)
    func readsInTurn(_ engine: Engine) async throws {
        let store = try TestStore(engine)
        let app = try await store.write { try $0.makeApp("shop") }
        let body: @Sendable (any SQLConnection) throws -> Int = { try $0.apps.all().count }
        let counts = await withCheckedContinuation { continuation in
            store.database.read(body) { first in
                store.database.read(body) { second in
                    continuation.resume(returning: [try? first.get(), try? second.get()])
                }
            }
        }
        #expect(app > 0 && counts == [1, 1])
    }

    private static func read(_ number: Int, _ app: Int64, _ store: TestStore) async throws -> Int64 {
        let body: @Sendable (any SQLConnection) throws -> Int64 = { connection in
            guard number % 7 != 0 else { throw Rejected() }
            let found = try connection.first("SELECT id FROM apps WHERE id = ?", [.integer(app)]) { $0.integer(0) }
            return (found ?? 0) + Int64(number)
        }
        return try await number % 2 == 0 ? store.read(body) : store.database.readApart(body)
    }
}

extension SQLDatabase {
    /// A read for a caller that does not wait.
    fileprivate func readApart<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await withCheckedThrowingContinuation { continuation in
            read(body) { continuation.resume(with: $0) }
        }
    }
}
