import BelfryPostgres
import BelfrySQLite
import BelfryStore
import BelfryTestSupport
import Foundation
import Testing

/// The engines that the repositories run on. Every test of the store runs on each of them (STO-2).
package enum Engine: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case sqlite
    case postgres

    /// SQLite, or what `BELFRY_TEST_ENGINE` names: some suites run once on each engine (STO-2).
    package static let ofThisRun =
        ProcessInfo.processInfo.environment["BELFRY_TEST_ENGINE"].flatMap(Engine.init(rawValue:)) ?? .sqlite

    /// The engines for a test of a suite that `make test` runs once on each of them: that of this run. `make endurance`
    /// runs its suites once, on all.
    package static let ofEachRun = Endurance.isOn ? allCases : [ofThisRun]

    package var testDescription: String { rawValue }

    /// Opens the database at a place, and makes it when it is not there.
    ///
    /// - Parameters:
    ///   - place: a folder, whose name also names the schema on PostgreSQL.
    ///   - writers: connections that write at once, where the engine has several.
    ///   - questions: what predicates may cost.
    ///   - statements: what is asked of PostgreSQL goes there.
    package func open(
        at place: URL, writers: Int = 1, questions: QuestionLimits = .patient,
        statements: StatementLog? = StatementLog.ofThisRun
    ) throws -> OpenTestStore {
        switch self {
        case .sqlite:
            // No test cuts the power.
            let database = try SQLiteDatabase(
                path: place.appending(path: "belfry.sqlite").path, durability: .nothing, questions: questions
            )
            return OpenTestStore(database: database, close: { try database.close() })
        case .postgres:
            let database = try TestPostgres.open(
                schema: place.lastPathComponent, writers: writers, questions: questions, statements: statements
            )
            return OpenTestStore(database: database, close: { database.close() })
        }
    }
}

/// A database that is open, and what closes it.
package struct OpenTestStore: Sendable {
    package let database: any SQLDatabase
    package let close: @Sendable () throws -> Void
}

/// A fresh database of one engine, which is gone when the test is over.
package final class TestStore: Sendable {
    package let engine: Engine
    private let isRecycled: Bool
    private let isOneShard: Bool
    private let isKept: Bool
    /// Its folder, whose name also names the schema on PostgreSQL.
    package let place: URL
    private let first: OpenTestStore

    /// - Parameter isRecycled: whether other tests have used the schema on PostgreSQL before and will use it again. It
    ///   is empty; a test that changes tables, or makes some, cannot hand it on.
    /// - Parameter isOneShard: whether a cluster has all devices on one shard.
    /// - Parameter isKept: whether its schema on PostgreSQL outlives the test.
    /// - Parameter statements: what is asked of PostgreSQL goes there.
    package init(
        _ engine: Engine, writers: Int = 1, questions: QuestionLimits = .patient, isRecycled: Bool = false,
        isOneShard: Bool = false, isKept: Bool = false, statements: StatementLog? = StatementLog.ofThisRun
    ) throws {
        self.engine = engine
        let isOneShard = isOneShard && TestPostgres.isDistributed
        self.isOneShard = isOneShard
        self.isKept = isKept
        let isRecycled = isRecycled && engine == .postgres
        self.isRecycled = isRecycled
        let name =
            try isRecycled ? TestPostgres.takeSchema(isOneShard: isOneShard) : "belfry-store-\(UUID().uuidString)"
        place = FileManager.default.temporaryDirectory.appending(path: name)
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        switch engine {
        case .sqlite: try SQLiteTemplate.copy(to: place.appending(path: "belfry.sqlite"))
        case .postgres: if !isRecycled { try TestPostgres.makeSchema(name, isOneShard: isOneShard) }
        }
        first = try engine.open(at: place, writers: writers, questions: questions, statements: statements)
    }

    deinit {
        switch engine {
        case .sqlite:
            // The last to hold it may be what one of its connections has just run. Their threads cannot wait for themselves,
            // so another one closes it.
            Thread.detachNewThread { [first, place] in
                try? first.close()
                try? FileManager.default.removeItem(at: place)
            }
        case .postgres:
            // On this thread: to connect once more while the process ends would end it in the libraries that libpq uses.
            try? first.close()
            try? FileManager.default.removeItem(at: place)
            guard !isKept else { return }
            if isRecycled {
                TestPostgres.giveBack(place.lastPathComponent, isOneShard: isOneShard)
            } else {
                TestPostgres.dropSchema(place.lastPathComponent)
            }
        }
    }

    package var database: any SQLDatabase { first.database }

    package func write<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Result
    ) async throws -> Result {
        try await database.write(body)
    }

    package func read<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Result
    ) async throws -> Result {
        try await database.read(body)
    }

    /// Asks as somebody who counts, of any app.
    package func ask<Result: Sendable>(
        _ body: @escaping @Sendable (PredicateConnection) throws -> Result
    ) async throws -> Result {
        try await database.ask(.counting(app: 1), body)
    }

    /// The database as another process sees it now, whether the first one has closed it or died.
    package func reopened<Result: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Result
    ) async throws -> Result {
        let second = try another()
        let result = try await second.database.read(body)
        try second.close()
        return result
    }

    /// The database as another process opens it, until that process closes it.
    package func another(writers: Int = 1) throws -> OpenTestStore {
        try engine.open(at: place, writers: writers)
    }

    package func close() throws {
        try first.close()
    }
}
