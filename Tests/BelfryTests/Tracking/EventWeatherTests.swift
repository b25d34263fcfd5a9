import BelfryRules
import BelfryTestSupport
import Foundation
import Testing

@testable import Belfry

/// Events in any weather, by seed: what the server and the way to it answer is chance.
struct EventWeatherTests {
    @Test(
        "EVT-3, EVT-4, EVT-5: whatever the responses, every event counts once and in order, nothing spins",
        arguments: Endurance.seeds(20, brief: 5)
    )
    func anyAnswer(seed: UInt64) async throws {
        var life = try TrackingLife(seed: seed, mostBytes: 2_500)
        try await life.live(steps: 90, fairness: 0.3, bodies: [3_500, 8_000, 1_048_576])
        try await life.recover()
        try await life.checkEverythingArrived()
        try await life.checkAccounts()
        life.checkPace()
        let queue = try await life.world.client.state().queue
        await life.end()
        life.checkReports(queue)
    }

    @Test(
        "EVT-5: the queue respects its count, size and age, and dropped events are counted and reported exactly",
        arguments: Endurance.seeds(12, brief: 3).map { 100 + $0 }
    )
    func anyLimit(seed: UInt64) async throws {
        let limits = QueueLimits(count: 40, bytes: 70_000, age: 2 * 3_600)
        var life = try TrackingLife(seed: seed, limits: limits, mostBytes: 20_000)
        try await life.live(steps: 100, fairness: 0.1) { life in
            try life.checkLimits()
        }
        try await life.overflow()
        try await life.checkAccounts()
        let queue = try await life.world.client.state().queue
        #expect(queue.droppedFull > 0 && queue.droppedOld > 0, "the limits were met: \(queue). Seed \(seed)")
        await life.end()
        life.checkReports(queue)
    }
}
