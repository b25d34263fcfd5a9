import BelfryServerTestSupport
@testable import BelfrySQLite
import BelfryStore
import Foundation
import Testing

/// SEC-9: the log beside the file is bounded, and its space can be given back.
struct WriteAheadLogTests {
    private func fill(_ database: SQLiteDatabase) async throws {
        try await database.write { connection in
            try connection.execute("CREATE TABLE a (text BLOB)")
            for _ in 0..<40 { try connection.execute("INSERT INTO a VALUES (randomblob(10000))") }
        }
    }

    @Test("SEC-9: the log is copied into the file, and its space is freed")
    func settles() async throws {
        try await withDurableSQLite { database, _ in
            try await fill(database)
            #expect(database.logBytes > 400_000)
            try await database.settle()
            #expect(database.logBytes == 0)
            let rows = try await database.read { try $0.first("SELECT count(*) FROM a", []) { $0.integer(0) } }
            #expect(rows == 40)
        }
    }

    @Test("SEC-9: a reader that uses the log keeps it, is not disturbed, and delays nobody")
    func readerLooksOn() async throws {
        try await withDurableSQLite { database, _ in
            try await fill(database)
            let (seen, look) = AsyncStream.makeStream(of: Void.self)
            let goOn = ThreadGate()
            defer { goOn.open() }
            async let counts = database.read { connection in
                let first = try connection.first("SELECT count(*) FROM a", []) { $0.integer(0) }
                look.yield()
                goOn.wait()
                return (first, try connection.first("SELECT count(*) FROM a", []) { $0.integer(0) })
            }
            for await _ in seen { break }
            _ = try await database.write { try $0.execute("DELETE FROM a") }
            try await database.settle()
            #expect(database.logBytes > 0)
            goOn.open()
            let (first, second) = try await counts
            #expect(first == 40 && second == 40)
            try await database.settle()
            #expect(database.logBytes == 0)
        }
    }
}
