import BelfrySQLite
import BelfryStore
import Foundation
import Testing

/// The engines that the repositories run on. Every test of the store runs on each of them; PostgreSQL joins as one more
/// case (STO-2).
enum Engine: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite

    var testDescription: String { rawValue }

    /// Opens the database at a place, and makes it when it is not there.
    func open(at place: URL) throws -> OpenStore {
        switch self {
        case .sqlite:
            let database = try SQLiteDatabase(path: place.appending(path: "belfry.sqlite").path)
            return OpenStore(database: database, close: { try database.close() })
        }
    }
}

/// A database that is open, and what closes it.
struct OpenStore: Sendable {
    let database: any SQLDatabase
    let close: @Sendable () throws -> Void
}

/// A fresh database of one engine, which is gone when the test is over.
final class TestStore: Sendable {
    let engine: Engine
    private let place: URL
    private let first: OpenStore

    init(_ engine: Engine) throws {
        self.engine = engine
        place = FileManager.default.temporaryDirectory.appending(path: "belfry-store-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        first = try engine.open(at: place)
    }

    deinit {
        try? first.close()
        try? FileManager.default.removeItem(at: place)
    }

    var database: any SQLDatabase { first.database }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Result
    ) async throws -> Result {
        try await database.write(body)
    }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Result
    ) async throws -> Result {
        try await database.read(body)
    }

    /// What another process sees that opens the same database now, whether the first closed it or died.
    func reopened<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Result
    ) async throws -> Result {
        let second = try engine.open(at: place)
        let result = try await second.database.read(body)
        try second.close()
        return result
    }

    func close() throws {
        try first.close()
    }
}
