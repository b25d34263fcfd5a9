import BelfryServerTestSupport
@testable import BelfryServices
import BelfryStore
import Foundation
import Synchronization
import Testing

/// A database of which it is counted how often it is read.
private struct CountedDatabase: SQLDatabase {
    let database: any SQLDatabase
    let reads: Counter

    final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }
        func add() { value.withLock { $0 += 1 } }
    }

    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        database.write(turn: turn, body, completion: completion)
    }

    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        reads.add()
        return try await database.read(body)
    }

    func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output {
        try await database.ask(question, body)
    }
}

struct ReadinessTests {
    private func readiness(_ world: ServiceWorld, _ counter: CountedDatabase.Counter) -> Readiness {
        let storage = StorageWatch(
            database: world.database, disk: nil, floor: .standard, environment: world.environment,
            metrics: world.metrics, logger: world.logger
        )
        return Readiness(
            database: CountedDatabase(database: world.database, reads: counter), storage: storage,
            environment: world.environment
        )
    }

    @Test("SEC-9: however many callers check readiness, the database is queried once a second")
    func shared() async throws {
        let world = try await ServiceWorld()
        let counter = CountedDatabase.Counter()
        let readiness = readiness(world, counter)
        for second in 1...3 {
            await withTaskGroup(of: Readiness.State.self) { group in
                for _ in 0..<200 { group.addTask { await readiness.state() } }
                for await state in group { #expect(state == .ready) }
            }
            #expect(counter.count == second)
            world.clock.advance(by: 1)
        }
    }

    @Test("FLEET-1: a server goes on when the next version has changed its database, and not when a later one has")
    func newerSchema() async throws {
        let world = try await ServiceWorld()
        let readiness = readiness(world, .init())
        for (version, state) in [(1, Readiness.State.ready), (2, .newerSchema)] {
            try await world.database.write {
                _ = try $0.execute(
                    "INSERT INTO schema_version (version) VALUES (?)", [.integer(Int64(Migration.newest + version))]
                )
            }
            world.clock.advance(by: 1)
            #expect(await readiness.state() == state)
        }
    }
}
