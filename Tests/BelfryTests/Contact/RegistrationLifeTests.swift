import BelfryModel
import BelfryTestSupport
import Foundation
import Testing

@testable import Belfry

/// A year of registrations through the whole client, by seed (REG-2 to REG-7).
@Suite(.timeLimit(.minutes(15)))
struct RegistrationLifeTests {
    @Test(
        "REG-2, REG-3, REG-4, REG-5, REG-6, REG-7: in any year updates are sent in time, never too often",
        arguments: Endurance.seeds(20, brief: 1)
    )
    func anyYear(seed: UInt64) async throws {
        var life = try YearLife(seed: seed)
        try await life.live(for: YearLife.year)
        try await life.recover()
        let judgement = life.judgement
        #expect(judgement.findings.isEmpty, "\(judgement.findings.joined(separator: "\n")). Seed \(seed)")
        try await life.world.checkRegistered("Seed \(seed).")
        try life.world.checkRegistrationAttempts("Seed \(seed).")
        let attempts = life.world.wire.attempts(World.registration)
        try checkContents(attempts, seed)
        checkPatience(attempts, seed)
        let most = judgement.wakes.values.max() ?? 0
        #expect(most < 200, "woke \(most) times in an hour. Seed \(seed)")
        #expect(life.visits > 30 && attempts.count > 30, "\(life.visits) visits, \(attempts.count). Seed \(seed)")
        await life.world.kill()
    }

    @Test("REG-6: no two devices come back at the same moment: each delay has jitter")
    func jitter() async throws {
        var life = try YearLife(seed: 1)
        try await life.endure(for: 86_400)
        let jitters = life.judgement.jitters
        #expect(jitters.count > 8)
        #expect(jitters.contains { $0 > 1.01 })
        #expect(Set(jitters).count == jitters.count)
        await life.world.kill()
    }

    @Test(
        "REG-6: in a year of 503 it is retried after a minute, then with doubled delays, then daily, despite edits",
        arguments: Endurance.seeds(3, brief: 1)
    )
    func yearOfOutage(seed: UInt64) async throws {
        var life = try YearLife(seed: seed)
        try await life.endure(for: YearLife.year)
        #expect(life.judgement.findings.isEmpty, "\(life.judgement.findings.joined(separator: "\n")). Seed \(seed)")
        let attempts = life.world.wire.attempts(World.registration)
        #expect((365...385).contains(attempts.count), "\(attempts.count) attempts. Seed \(seed)")
        for (number, pair) in zip(attempts, attempts.dropFirst()).enumerated() {
            let gap = pair.1.lived - pair.0.lived
            let base = YearJudgement.base(number + 1)
            let isRight = gap >= base - 0.01 && gap <= min(86_400, base * 1.25) + 0.01
            #expect(isRight, "after failure \(number + 1) it waited \(gap) s, not \(base) s. Seed \(seed)")
        }
        try await life.recover()
        try await life.world.checkRegistered("Seed \(seed).")
        await life.world.kill()
    }

    /// What the server certainly has is not sent again; the last app open does not count as a difference (REG-3).
    private func checkContents(_ attempts: [Wire.Attempt], _ seed: UInt64) throws {
        var known: RegistrationSnapshot?
        for attempt in attempts {
            var snapshot = try attempt.snapshot
            snapshot.registrationId = ""
            snapshot.revision = 0
            snapshot.lastOpenedAt = nil
            #expect(snapshot != known, "attempt \(attempt.number) said nothing new. Seed \(seed)")
            known = attempt.answer?.status == 201 ? snapshot : nil
        }
    }

    /// After a failure of the server nobody comes early: no visit, no edit and no restart shortens the wait (REG-6).
    private func checkPatience(_ attempts: [Wire.Attempt], _ seed: UInt64) {
        var failures = 0
        for (earlier, later) in zip(attempts, attempts.dropFirst()) {
            var least: TimeInterval = 60
            switch earlier.answer?.status {
            case 201, 400: failures = 0
            case 401: break
            case 503:
                failures += 1
                let wish = earlier.answer?.header("Retry-After").flatMap { Double($0) } ?? 0
                least = max(YearJudgement.base(failures), wish)
            default: failures += 1
            }
            let gap = later.lived - earlier.lived
            #expect(gap >= least - 0.01, "attempt \(later.number) after \(gap) s, not \(least) s. Seed \(seed)")
        }
    }
}
