import BelfryServerTestSupport
import BelfryStore
import Foundation
import Synchronization
import Testing

@testable import BelfryServices

struct OutcomeRetryTests {
    @Test("FLEET-7, PUSH-5: what became of sends is written within a second of the database's return, however late")
    func soon() async throws {
        let world = try await ServiceWorld()
        let clock = world.clock
        // Nobody sleeps: the clock goes on instead.
        let environment = ServerEnvironment(
            now: { clock.now }, randomBytes: { [UInt8](repeating: 0, count: $0) }, jitter: { 0.5 }, uuid: { UUID() },
            sleepUntil: { clock.advance(to: $0) }
        )
        let pipeline = PushPipeline(
            database: world.database, environment: environment, attempts: world.makeAttempts(),
            accounts: world.accounts, transport: world.transport, keys: world.keys, metrics: world.metrics,
            logger: world.logger
        )
        let tries = Mutex<[Date]>([])
        try await pipeline.write(turn: .next) { _, now in
            let count = tries.withLock { tries in
                tries.append(now)
                return tries.count
            }
            if count < 40 { throw StoreError.tryAgain(reason: "The database is gone.") }
        }
        let times = tries.withLock { $0 }
        let pauses = zip(times, times.dropFirst()).map { $1.timeIntervalSince($0) }
        #expect(pauses.count == 39 && pauses.allSatisfy { $0 > 0 && $0 <= 1.001 })
        #expect((pauses.first ?? 1) < 0.1, "and nearly at once where it was a moment")
    }
}
