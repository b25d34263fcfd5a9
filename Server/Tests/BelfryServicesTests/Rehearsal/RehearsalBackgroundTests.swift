import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Synchronization
import Testing

@testable import BelfryServices

/// A rehearsal takes no processor from the calls of devices.
struct RehearsalBackgroundTests {
    private final class Count: Sendable {
        private let number = Mutex(0)
        var value: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    @Test("PERF-13: each page is decided about where no call waits, with the outcome that it has anywhere")
    func background() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2_500)
        let id = try await world.draft(ServiceWorld.draft())
        let started = try await world.rehearsals.start(id, app: world.app)
        let (pages, jobs) = (Count(), Count())
        let environment = ServerEnvironment(
            now: world.environment.now, randomBytes: world.environment.randomBytes, jitter: world.environment.jitter,
            uuid: world.environment.uuid, sleepUntil: world.environment.sleepUntil,
            background: JobQueue { job in
                jobs.add()
                JobQueue.threads.run(job)
            }
        )
        let database = InterruptedDatabase(world.database, after: "RehearsalInput", isRepeated: true) { pages.add() }
        let campaigns = CampaignServices(
            database: database, environment: environment,
            tests: TestDelivery(accounts: world.accounts, transport: world.transport, keys: world.keys),
            work: AsyncSignal()
        )
        let worker = RehearsalWorker(
            owner: "rehearser", previews: campaigns.previews, work: AsyncSignal(), logger: world.logger
        )
        await worker.runUntilIdle()
        let rehearsal = try await world.rehearsals.find(started.id, of: id, app: world.app)
        #expect(rehearsal.status == .done && rehearsal.words == ["accepted": 2_500])
        #expect(pages.value > 2 && jobs.value == pages.value)
    }
}
