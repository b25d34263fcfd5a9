import BelfryModel
import Foundation
import Testing

@testable import Belfry

/// A recorded hour with the message center, in which the device dies at every write of its store (REL-3, MC-9, MC-14).
struct MessageCenterCrashTests {
    /// So that the runs share the cores; each takes every fourth place.
    static let slices = 4

    private func undisturbed() async throws -> MessageCenterLife {
        var life = try await MessageCenterLife("undisturbed")
        try await life.live()
        return life
    }

    @Test("REL-3, MC-9, MC-12, MC-14, BADGE-5: the recorded hour without a failure has all its events")
    func hour() async throws {
        let life = try await undisturbed()
        #expect(life.deaths == 0)
        #expect(life.world.mortality.writes.count > 40)
        try await life.check()
    }

    @Test(
        "REL-3, MC-9, MC-12, MC-14, BADGE-5: the device dies before and after every write, and nothing is lost",
        arguments: 0..<MessageCenterCrashTests.slices, Mortality.Instant.allCases
    )
    func everyWrite(slice: Int, instant: Mortality.Instant) async throws {
        let whole = try await undisturbed()
        let count = whole.world.mortality.writes.count
        await whole.world.kill()
        for number in stride(from: 1 + slice, through: count, by: Self.slices) {
            let place = "It died \(instant.rawValue) \(number) of \(count)."
            do {
                var life = try await MessageCenterLife(place)
                life.world.mortality.doom(write: number, instant)
                try await life.live()
                #expect(life.deaths == 1, "\(place)")
                try await life.check()
            } catch {
                Issue.record(error, "\(place)")
            }
        }
    }
}
