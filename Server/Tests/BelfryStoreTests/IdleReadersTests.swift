import BelfryServerTestSupport
@testable import BelfrySQLite
import BelfryStore
import Foundation
import Synchronization
import Testing

/// A read on the caller's own thread is quick, or it runs on another thread.
struct IdleReadersTests {
    /// The thread on which a read was completed.
    private static func thread(
        of body: @escaping @Sendable (any SQLConnection) throws -> Int64, on database: any SQLDatabase
    ) async -> (isCaller: Bool, Int64?) {
        await withCheckedContinuation { continuation in
            let caller = ObjectIdentifier(Thread.current)
            database.read(body) { result in
                continuation.resume(returning: (ObjectIdentifier(Thread.current) == caller, try? result.get()))
            }
        }
    }

    @Test(
        "SEC-2: a short read runs on its caller's thread, a long one on a reader, with the same result")
    func longReads() async throws {
        let store = try TestStore(.sqlite)
        let count: @Sendable (Int) -> @Sendable (any SQLConnection) throws -> Int64 = { most in
            { connection in
                let sql: SQLText =
                    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT count(*) FROM n"
                return try connection.first(sql, [.integer(most)]) { $0.integer(0) } ?? 0
            }
        }
        for _ in 0..<50 {
            let short = await Self.thread(of: count(100), on: store.database)
            #expect(short.isCaller && short.1 == 100)
        }
        let long = await Self.thread(of: count(1_000_000), on: store.database)
        #expect(!long.isCaller && long.1 == 1_000_000)
        // The interrupted statement has left nothing behind.
        _ = try await store.write { try $0.makeApp("shop") }
        let after = await Self.thread(of: { try Int64($0.apps.all().count) }, on: store.database)
        #expect(after.isCaller && after.1 == 1)
    }

    @Test("SEC-2: statements that were used often begin with a full budget each time")
    func wholeBudgets() async throws {
        let store = try TestStore(.sqlite)
        let sql: SQLText =
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) SELECT count(*) FROM n"
        for _ in 0..<200 {
            let read = await Self.thread(of: { try $0.first(sql, []) { $0.integer(0) } ?? 0 }, on: store.database)
            #expect(read.isCaller && read.1 == 2_000)
        }
    }

    @Test("SEC-2: a read on its caller's thread waits for no transaction that writes", .timeLimit(.minutes(5)))
    func writerAtWork() async throws {
        let store = try TestStore(.sqlite)
        _ = try await store.write { try $0.makeApp("shop") }
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let end = ThreadGate()
        defer { end.open() }
        async let written = store.write { connection in
            let app = try connection.makeApp("other")
            begin.yield()
            end.wait()
            return app
        }
        for await _ in begun { break }
        for _ in 0..<20 {
            let read = await Self.thread(of: { try Int64($0.apps.all().count) }, on: store.database)
            #expect(read.isCaller && read.1 == 1)
        }
        end.open()
        _ = try await written
        let after = await Self.thread(of: { try Int64($0.apps.all().count) }, on: store.database)
        #expect(after.isCaller && after.1 == 2)
    }

    @Test(
        "SEC-2: while all connections for quick reads are at work, a read waits for none of them",
        .timeLimit(.minutes(5))
    )
    func allAtWork() async throws {
        let store = try TestStore(.sqlite)
        let count = SQLiteDatabase.quickReaders
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (ended, ending) = AsyncStream.makeStream(of: Void.self)
        let end = ThreadGate()
        let body: @Sendable (any SQLConnection) throws -> Int64 = { connection in
            begin.yield()
            end.wait()
            return try Int64(connection.apps.all().count)
        }
        for _ in 0..<count {
            Thread.detachNewThread { [database = store.database] in
                database.read(body) { _ in ending.yield() }
            }
        }
        await Self.take(count, of: begun)
        let read = await Self.thread(of: { _ in 7 }, on: store.database)
        #expect(!read.isCaller && read.1 == 7)
        end.open()
        await Self.take(count, of: ended)
        let after = await Self.thread(of: { _ in 8 }, on: store.database)
        #expect(after.isCaller && after.1 == 8)
    }

    private static func take(_ count: Int, of stream: AsyncStream<Void>) async {
        var left = count
        for await _ in stream {
            left -= 1
            if left == 0 { return }
        }
    }
}
