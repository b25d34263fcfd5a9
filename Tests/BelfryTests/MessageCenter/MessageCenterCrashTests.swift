import BelfryModel
import Foundation
import Testing

@testable import Belfry

/// A recorded hour with the message center, in which the device dies at every write of its store (REL-3, MC-9, MC-14).
struct MessageCenterCrashTests {
    /// So that the runs share the cores; each takes every fourth place.
    static let slices = 4

    /// The writes of the hour without any error. It is always the same, so it is lived once.
    private static let writes = Task {
        let life = try await Self.undisturbed()
        let writes = life.world.mortality.writes
        await life.world.kill()
        return writes
    }

    private static func undisturbed() async throws -> MessageCenterLife {
        var life = try await MessageCenterLife("undisturbed")
        try await life.live()
        return life
    }

    @Test("REL-3, MC-9, MC-12, MC-14, BADGE-5: the recorded hour without a failure has all its events")
    func hour() async throws {
        let life = try await Self.undisturbed()
        #expect(life.deaths == 0)
        #expect(life.world.mortality.writes.count > 40)
        try await life.check()
    }

    @Test(
        "REL-3, MC-9, MC-12, MC-14, BADGE-5: the device dies before and after every write, and nothing is lost",
        arguments: 0..<MessageCenterCrashTests.slices, Mortality.Instant.allCases
    )
    func everyWrite(slice: Int, instant: Mortality.Instant) async throws {
        let writes = try await Self.writes.value
        for number in Mortality.places(in: writes, instant, every: 4, slice: slice, of: Self.slices) {
            let place = "It died \(instant.rawValue) \(number) of \(writes.count)."
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
