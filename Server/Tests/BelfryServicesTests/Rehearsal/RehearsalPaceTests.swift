import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Synchronization
import Testing

@testable import BelfryServices

/// How a rehearsal leaves the processors to others.
struct RehearsalPaceTests {
    /// Notes numbers, from whichever thread.
    private final class Notes: Sendable {
        private let numbers = Mutex<[Int]>([])
        var all: [Int] { numbers.withLock { $0 } }
        func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    }

    @Test("PERF-13: a rehearsal pauses in proportion to its work, and never for long")
    func proportion() {
        #expect(abs(RehearsalPace.pause(after: 0.006) - 0.006) < 0.000_001)
        #expect(RehearsalPace.pause(after: 0) == 0 && RehearsalPace.pause(after: -3_600) == 0)
        #expect(RehearsalPace.pause(after: 3_600) == RehearsalPace.longestPause)
    }

    /// Rehearses a campaign to all devices of a world, with its time and with more besides.
    private static func rehearse(
        _ world: ServiceWorld, over database: any SQLDatabase, pauses: Notes,
        letOthersRun: @escaping @Sendable () -> Void = {}
    ) async throws -> Rehearsal {
        let id = try await world.draft(ServiceWorld.draft())
        let started = try await world.rehearsals.start(id, app: world.app)
        let environment = ServerEnvironment(
            now: world.environment.now, randomBytes: world.environment.randomBytes, jitter: world.environment.jitter,
            uuid: world.environment.uuid,
            sleepUntil: { [clock = world.clock] date in
                pauses.add(Int((date.timeIntervalSince(clock.now) * 1_000).rounded()))
                clock.advance(to: date)
            },
            letOthersRun: letOthersRun
        )
        let campaigns = CampaignServices(
            database: database, environment: environment,
            tests: TestDelivery(accounts: world.accounts, transport: world.transport, keys: world.keys),
            work: AsyncSignal()
        )
        let worker = RehearsalWorker(
            owner: "rehearser", previews: campaigns.previews, work: AsyncSignal(), logger: world.logger
        )
        await worker.runUntilIdle()
        return try await world.rehearsals.find(started.id, of: id, app: world.app)
    }

    @Test("PERF-13: it pauses after each page but the last, and what it finds is the same")
    func pauses() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2_500)
        let (pages, pauses) = (Notes(), Notes())
        // Each page takes six milliseconds of the world's time.
        let slow = InterruptedDatabase(world.database, after: "RehearsalInput", isRepeated: true) {
            pages.add(1)
            world.clock.advance(by: 0.006)
        }
        let rehearsal = try await Self.rehearse(world, over: slow, pauses: pauses)
        #expect(rehearsal.status == .done && rehearsal.words == ["accepted": 2_500])
        #expect(pages.all.count > 2)
        #expect(pauses.all == Array(repeating: 6, count: pages.all.count - 1))
    }

    @Test("PERF-13: while it decides about a page, it lets others run every few devices")
    func others() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2_500)
        let turns = Notes()
        let rehearsal = try await Self.rehearse(
            world, over: world.database, pauses: Notes(), letOthersRun: { turns.add(1) }
        )
        #expect(rehearsal.words == ["accepted": 2_500])
        #expect(turns.all.count >= 2_500 / RehearsalPace.devicesAtOnce)
    }
}
