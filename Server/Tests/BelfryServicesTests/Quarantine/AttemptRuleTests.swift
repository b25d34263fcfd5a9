import BelfryStore
import Foundation
import ServiceLifecycleTestKit
import Testing

@testable import BelfryServices

struct AttemptRuleTests {
    private static let now = ServiceWorld.epoch

    private static func known(
        _ attempts: Int, owner: String? = "other", lease: TimeInterval = 0, status: WorkStatus = .open
    ) -> WorkAttempt {
        WorkAttempt(
            subject: .plan(1), status: status, attempts: attempts, owner: owner,
            leaseUntil: now.addingTimeInterval(lease), since: now
        )
    }

    private static func decision(_ known: WorkAttempt?) -> AttemptRule.Decision {
        AttemptRule.decide(known, by: "me", now: now)
    }

    @Test("SEC-8: each attempt of a dead process counts, and the third without an end was the last")
    func counts() {
        #expect(Self.decision(nil) == .begin(attempt: 1))
        let decisions = (0...2).map { Self.decision(Self.known($0)) }
        #expect(decisions == (1...3).map { AttemptRule.Decision.begin(attempt: $0) })
        #expect(Self.decision(Self.known(3)) == .quarantine)
        #expect(Self.decision(Self.known(3, owner: nil)) == .quarantine)
    }

    @Test("SEC-8: a process's own work did not end it; other processes' and quarantined work is left alone")
    func owners() {
        #expect(Self.decision(Self.known(2, owner: "me", lease: 9)) == .begin(attempt: 2))
        #expect(Self.decision(Self.known(3, owner: "me")) == .begin(attempt: 3))
        #expect(Self.decision(Self.known(1, lease: 0.001)) == .leave)
        #expect(Self.decision(Self.known(3, lease: 0.001)) == .leave)
        #expect(Self.decision(Self.known(1, owner: "me", status: .quarantined)) == .leave)
        #expect(Self.decision(Self.known(1, owner: nil, lease: 1)) == .leave, "It rests.")
        // A clock was set back: nobody has it for so long.
        #expect(Self.decision(Self.known(1, lease: WorkAttempt.longestLease)) == .leave)
        #expect(Self.decision(Self.known(1, lease: WorkAttempt.longestLease + 1)) == .begin(attempt: 2))
        #expect(max(AttemptRule.lease, Housekeeping.lease) < WorkAttempt.longestLease)
    }

    @Test("SEC-8: of the work begun alone the least tried is next; waiting or leased work is not")
    func order() {
        func attempt(_ number: Int64, _ attempts: Int, owner: String? = nil, lease: TimeInterval = 0) -> WorkAttempt {
            WorkAttempt(
                subject: .registration(number), attempts: attempts, owner: owner,
                leaseUntil: Self.now.addingTimeInterval(lease), since: Self.now
            )
        }
        let open = [
            attempt(1, 2), attempt(2, 0, owner: "other", lease: 1), attempt(3, 1), attempt(4, 1, owner: "me", lease: 9),
        ]
        #expect(AttemptOrder.next(of: open, by: "me", now: Self.now)?.subject == .registration(3))
        #expect(AttemptOrder.next(of: open, by: "x", now: Self.now.addingTimeInterval(1))?.subject == .registration(2))
        #expect(AttemptOrder.next(of: [open[1]], by: "me", now: Self.now) == nil)
    }

    @Test("SEC-8: one at a time is begun alone, until it makes progress, ends, or has had its time")
    func alone() {
        var lone = LoneWork<Int>()
        #expect(lone.isFree(at: Self.now))
        lone.begin(7, at: Self.now)
        #expect(!lone.isFree(at: Self.now.addingTimeInterval(4.999)))
        #expect(lone.isFree(at: Self.now.addingTimeInterval(5)))
        let endsAnother = lone.end(8)
        #expect(!endsAnother && !lone.isFree(at: Self.now))
        let ends = lone.end(7)
        #expect(ends && lone.isFree(at: Self.now))
    }

    @Test("SEC-8: attempts are durable, counted over processes, and lead to quarantine with a visible reason")
    func durable() async throws {
        let world = try await ServiceWorld()
        let subject = WorkSubject.upkeep(.events)
        for number in 1...3 {
            #expect(try await world.makeAttempts("\(number)").begin(subject))
            #expect(try await world.makeAttempts("\(number)").begin(subject), "It did not end this process.")
            #expect(try await world.makeAttempts("other").begin(subject) == false, "It is another's.")
            world.clock.advance(by: AttemptRule.lease)
        }
        #expect(try await world.makeAttempts("4").begin(subject) == false)
        let work = try #require(try await world.quarantined().first)
        #expect(work.name == "upkeep-events" && work.attempts == 3 && work.app == nil)
        #expect(work.reason == "It was tried alone 3 times, and each time the server process ended before it was done.")
        #expect(work.since == world.clock.now && world.quarantinedCount("upkeep") == 1)
        #expect(world.log.entries.contains { $0.level == .error && "\($0.message)".contains("in quarantine") })
        let gauge = world.gauge(.quarantine(in: world.database))
        await gauge.look()
        #expect(world.metrics.prometheusText().contains("belfry_quarantined{kind=\"upkeep\"} 1\n"))
        #expect(world.metrics.prometheusText().contains("# TYPE belfry_quarantined gauge\n"))
        _ = try await world.quarantine.retry(work.name, app: nil)
        await gauge.look()
        #expect(world.metrics.prometheusText().contains("belfry_quarantined{kind=\"upkeep\"} 0\n"))
        #expect(try await world.makeAttempts("5").begin(subject))
    }

    @Test("SEC-8: an orderly stop resets the count, any number of times")
    func orderlyStop() async throws {
        let world = try await ServiceWorld()
        for number in 1...10 {
            let attempts = world.makeAttempts("\(number)")
            #expect(try await attempts.begin(.plan(7)))
            let stop = OrderlyStop(attempts: attempts, database: world.database, logger: world.logger)
            await testGracefulShutdown { trigger in
                await withTaskGroup(of: Void.self) { group in
                    group.addTask { try? await stop.run() }
                    trigger.triggerGracefulShutdown()
                }
            }
        }
        #expect(try await world.quarantined().isEmpty)
        // So it does when the process is not left the time.
        let attempts = world.makeAttempts("last")
        #expect(try await attempts.begin(.plan(7)))
        let stop = OrderlyStop(attempts: attempts, database: world.database, logger: world.logger)
        let task = Task { try await stop.run() }
        task.cancel()
        _ = try await task.value
        let known = try await world.database.read { try $0.workAttempts.find(.plan(7)) }
        #expect(known?.attempts == 0 && known?.owner == nil)
    }
}
