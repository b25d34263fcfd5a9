import Foundation
import Testing

@testable import Belfry

/// A recorded hour with in-app messages, in which the device dies at every write of its store (REL-3, IAM-8).
struct InAppCrashTests {
    /// So that the runs share the cores; each takes every fourth place.
    static let slices = 4

    /// The writes of the hour without any error. It is always the same, so it is lived once.
    private static let writes = Task {
        let life = try await Self.undisturbed()
        let writes = life.world.mortality.writes
        await life.world.kill()
        return writes
    }

    private static func undisturbed() async throws -> InAppClientLife {
        var life = try await InAppClientLife("undisturbed")
        try await life.live()
        return life
    }

    @Test("IAM-8, IAM-9, IAM-10: the recorded hour without a failure has all its events")
    func hour() async throws {
        let life = try await Self.undisturbed()
        #expect(life.deaths == 0)
        #expect(life.world.mortality.writes.count > 40)
        try await life.check(isWhole: true)
    }

    @Test(
        "REL-3, IAM-8: the device dies before and after every write; no message is lost, none shown beyond its limit",
        arguments: 0..<InAppCrashTests.slices, Mortality.Instant.allCases
    )
    func everyWrite(slice: Int, instant: Mortality.Instant) async throws {
        let writes = try await Self.writes.value
        for number in Mortality.places(in: writes, instant, every: 8, slice: slice, of: Self.slices) {
            let place = "It died \(instant.rawValue) \(number) of \(writes.count)."
            do {
                var life = try await InAppClientLife(place)
                life.world.mortality.doom(write: number, instant)
                try await life.live()
                #expect(life.deaths == 1, "\(place)")
                try await life.check(isWhole: false)
            } catch {
                Issue.record(error, "\(place)")
            }
        }
    }
}
