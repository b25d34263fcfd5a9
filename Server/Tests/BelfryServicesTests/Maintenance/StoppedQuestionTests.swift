import BelfryServices
import BelfryStore
import ServiceLifecycleTestKit
import Testing

struct StoppedQuestionTests {
    @Test(
        "SEC-8: a process that is stopped interrupts running predicates, and their callers are told to retry",
        .timeLimit(.minutes(20)))
    func stopped() async throws {
        let world = try await ServiceWorld()
        let storage = StorageWatch(
            database: world.database, disk: nil, floor: .standard, environment: world.environment,
            metrics: world.metrics, logger: world.logger
        )
        let watched = WatchedDatabase(world.database, watch: storage)
        let (begun, signal) = AsyncStream<Void>.makeStream()
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    let error = await #expect(throws: StoreError.self) {
                        try await watched.ask(.planning) { asked in
                            signal.yield()
                            // It ends by being ended.
                            _ = try asked.connection.query(
                                """
                                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT (i + 1) % 1000 FROM n)
                                SELECT count(*) FROM n
                                """, []
                            ) { $0.integer(0) }
                        }
                    }
                    #expect(error?.meansTryAgain == true)
                }
                for await _ in begun { break }
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
        // The database itself has not failed.
        #expect(try await world.database.ask(.planning) { try $0.connection.apps.all().count } == 1)
    }
}
