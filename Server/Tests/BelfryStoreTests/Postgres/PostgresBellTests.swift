@testable import BelfryPostgres
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

/// FLEET-1: the processes of one PostgreSQL database wake each other, and know how many they are.
struct PostgresBellTests {
    /// One process, and what it hears.
    private struct Process {
        let bell: PostgresBell
        private let heard: AsyncStream<SharedWork>
        private let hear: @Sendable (SharedWork) -> Void

        init(schema: String) throws {
            let address = try PostgresAddress(TestPostgres.text(schema: schema) + "&application_name=\(schema)")
            bell = PostgresBell(
                PostgresSettings(
                    address: address, questions: .standard, now: { Date(timeIntervalSince1970: 0) }, jitter: { 0.5 }
                )
            )
            let (heard, heards) = AsyncStream.makeStream(of: SharedWork.self)
            self.heard = heard
            hear = { heards.yield($0) }
        }

        /// Returns when it hears the others: then everything may have been missed, so everything is heard.
        func listen(isCounted: Bool = true) async {
            bell.listen(isCounted: isCounted, hear)
            await hearsEverything()
        }

        func hearsEverything() async {
            #expect(await next(SharedWork.allCases.count) == SharedWork.allCases)
        }

        func next(_ count: Int) async -> [SharedWork] {
            var works: [SharedWork] = []
            for await work in heard {
                works.append(work)
                if works.count == count { break }
            }
            return works
        }
    }

    /// Runs a test with processes that share a schema, and ends them.
    private static func withProcesses(
        _ count: Int, _ body: (_ schema: String, _ processes: [Process]) async throws -> Void
    ) async throws {
        let schema = "bell-\(UUID().uuidString)"
        try TestPostgres.makeSchema(schema)
        defer { TestPostgres.dropSchema(schema) }
        let processes = try (0..<count).map { _ in try Process(schema: schema) }
        defer { for process in processes { process.bell.close() } }
        try await body(schema, processes)
    }

    @Test("FLEET-1: what one process rings all others hear, and not itself", .timeLimit(.minutes(20)))
    func rings() async throws {
        try await Self.withProcesses(3) { _, processes in
            for process in processes { await process.listen() }
            for work in SharedWork.allCases {
                processes[0].bell.ring(work)
                #expect(await processes[1].next(1) == [work])
                #expect(await processes[2].next(1) == [work])
            }
            // Its own rings would come first.
            processes[1].bell.ring(.rehearsals)
            #expect(await processes[0].next(1) == [.rehearsals])
        }
    }

    @Test("FLEET-1: what is rung while it rests is rung after it, each kind once", .timeLimit(.minutes(20)))
    func bursts() async throws {
        try await Self.withProcesses(2) { _, processes in
            for process in processes { await process.listen() }
            for _ in 0..<1_000 { processes[0].bell.ring(.registrations) }
            processes[0].bell.ring(.campaigns)
            var heard: [SharedWork] = []
            while Set(heard) != [.registrations, .campaigns] { heard += await processes[1].next(1) }
            #expect(heard.count < 1_000)
        }
    }

    @Test("FLEET-1: a ring waits for the connection", .timeLimit(.minutes(20)))
    func early() async throws {
        try await Self.withProcesses(2) { _, processes in
            await processes[1].listen()
            processes[0].bell.ring(.campaigns)
            await processes[0].listen()
            #expect(await processes[1].next(1) == [.campaigns])
        }
    }

    @Test(
        "FLEET-1: a lost connection is made again, and then everything is looked at, for rings may have been missed",
        .timeLimit(.minutes(20))
    )
    func lost() async throws {
        try await Self.withProcesses(2) { schema, processes in
            for process in processes { await process.listen() }
            for _ in 0..<3 {
                try PostgresScript.run(
                    SQLText(
                        ofTest: """
                            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                            WHERE pid <> pg_backend_pid() AND application_name = '\(schema)'
                            """
                    ),
                    at: TestPostgres.address(schema: schema)
                )
                for process in processes { await process.hearsEverything() }
                processes[0].bell.ring(.silentPushes)
                #expect(await processes[1].next(1) == [.silentPushes])
                #expect(await processes[0].bell.count() == 2, "they are counted again")
            }
        }
    }

    @Test(
        "FLEET-1: the processes that answer calls are counted, and only as long as they live", .timeLimit(.minutes(20)))
    func counts() async throws {
        try await Self.withProcesses(3) { _, processes in
            #expect(await processes[0].bell.count() == nil, "it is not connected")
            await processes[0].listen()
            await processes[1].listen()
            await processes[2].listen(isCounted: false)
            for process in processes { #expect(await process.bell.count() == 2) }
            try await Self.withProcesses(1) { _, others in
                await others[0].listen()
                #expect(await others[0].bell.count() == 1, "another schema is another deployment")
                #expect(await processes[0].bell.count() == 2)
            }
            processes[1].bell.close()
            // The server hears of it a moment later.
            while await processes[0].bell.count() == 2 {}
            #expect(await processes[2].bell.count() == 1)
        }
    }
}

/// FLEET-1: when rings are sent, without a server.
struct WaitingRingsTests {
    @Test("FLEET-1: the first ring wakes the sender; those that come while it is awake go together after its rest")
    func coalesces() {
        var rings = WaitingRings()
        let woken = [rings.add(.registrations), rings.add(.registrations), rings.add(.campaigns)]
        #expect(woken == [true, false, false])
        let first = rings.take()
        #expect(first == [.registrations, .campaigns])
        let isWoken = rings.add(.registrations)
        #expect(!isWoken, "it rests and looks again")
        let others = [rings.take(), rings.take()]
        #expect(others == [[.registrations], []])
        let isWokenAgain = rings.add(.registrations)
        #expect(isWokenAgain, "it sleeps")
    }

    @Test("FLEET-1: what cannot be sent waits until the sender is woken")
    func putBack() {
        var rings = WaitingRings()
        let isNeedless = rings.wake()
        #expect(!isNeedless, "nothing waits")
        _ = rings.add(.campaigns)
        let taken = rings.take()
        let isWoken = rings.add(.rehearsals)
        #expect(!isWoken)
        rings.putBack(taken)
        let wakes = [rings.wake(), rings.wake()]
        #expect(wakes == [true, false])
        let all = rings.take()
        #expect(all == [.campaigns, .rehearsals])
    }
}
