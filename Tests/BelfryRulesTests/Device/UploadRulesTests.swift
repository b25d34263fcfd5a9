import BelfryRules
import Foundation
import Testing

struct UploadRulesTests {
    private let policy = UploadPolicy(flushCount: 10, flushBytes: 1_000, flushAge: 30, batchCount: 100)

    private func at(_ time: TimeInterval) -> Date {
        deviceEpoch.addingTimeInterval(time)
    }

    private func decide(_ rules: UploadRules, count: Int, bytes: Int = 10, at time: TimeInterval) -> UploadDecision {
        rules.decide(QueueStatus(count: count, bytes: bytes, oldestAt: at(0)), now: at(time), policy: policy)
    }

    private func answer(
        _ rules: inout UploadRules, _ status: Int, count: Int, code: String? = "invalidBody"
    ) -> BatchUploadResult {
        rules.answered(
            .response(status: status, code: code, at: at(0)), batchCount: count, now: at(0), random: 0, policy: policy
        )
    }

    private var full: BatchLimit { BatchLimit(count: 100, bytes: policy.batchBytes) }

    @Test("EVT-2: events are sent by count, by size, by age, and when the app comes or goes")
    func flush() {
        var rules = UploadRules()
        #expect(decide(rules, count: 0, at: 1) == .idle(.queueEmpty))
        #expect(decide(rules, count: 1, at: 1) == .wait(until: at(30), reason: .collectingEvents))
        #expect(decide(rules, count: 10, at: 1) == .send(full))
        #expect(decide(rules, count: 1, bytes: 1_000, at: 1) == .send(full))
        #expect(decide(rules, count: 1, at: 30) == .send(full))
        // An event of a clock that was set back since.
        #expect(decide(rules, count: 1, at: -500) == .send(full))
        rules.requestFlush()
        #expect(decide(rules, count: 1, at: 1) == .send(full))
        rules.noticed(QueueStatus(count: 1, bytes: 10, oldestAt: at(0)))
        #expect(rules.isFlushing)
        rules.noticed(QueueStatus())
        #expect(!rules.isFlushing)
    }

    @Test("EVT-4: a poison event is found by halving, only it becomes a dead letter, and batches grow again")
    func poison() {
        var rules = UploadRules()
        var queue = Array(0..<64)
        var deadLetters: [Int] = []
        var requests = 0
        rules.requestFlush()
        while !queue.isEmpty, requests < 200 {
            guard case .send(let limit) = decide(rules, count: queue.count, at: 1) else { break }
            requests += 1
            let batch = Array(queue.prefix(limit.count))
            let isPoisoned = batch.contains(17) || batch.contains(41)
            switch answer(&rules, isPoisoned ? 400 : 204, count: batch.count) {
            case .stored:
                queue.removeFirst(batch.count)
            case .deadLetter:
                deadLetters.append(queue.removeFirst())
            case .kept, .heldBack:
                break
            }
        }
        #expect(queue.isEmpty)
        #expect(deadLetters == [17, 41])
        #expect(requests < 40)
    }

    @Test("EVT-4: 413 splits the batch")
    func tooLarge() {
        var rules = UploadRules()
        rules.requestFlush()
        #expect(answer(&rules, 413, count: 100) == .kept)
        #expect(decide(rules, count: 100, at: 1) == .send(BatchLimit(count: 50, bytes: policy.batchBytes)))
        #expect(answer(&rules, 204, count: 50) == .stored)
        #expect(decide(rules, count: 50, at: 1) == .send(full))
    }

    @Test("EVT-4: when everything is refused, events are not dropped one after the other without a pause")
    func allRejected() {
        var rules = UploadRules()
        rules.requestFlush()
        for _ in 0..<UploadRules.maximumDeadLettersInARow {
            #expect(answer(&rules, 400, count: 1) == .deadLetter(reason: "invalidBody"))
            #expect(decide(rules, count: 5, at: 0) != .wait(until: at(2), reason: .backingOff))
        }
        // The eleventh to the twentieth stay, each after a longer wait, also when more events have come meanwhile.
        var delays: [TimeInterval] = []
        for _ in 0..<10 {
            #expect(answer(&rules, 400, count: 5) == .kept)
            #expect(answer(&rules, 400, count: 1) == .heldBack)
            guard case .wait(let until, .backingOff) = decide(rules, count: 5, at: 0) else {
                Issue.record("it is to wait")
                return
            }
            delays.append(until.timeIntervalSince(at(0)))
        }
        #expect(delays == [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024])
        // Something is accepted: the server takes events again, and says which it does not.
        #expect(answer(&rules, 204, count: 1) == .stored)
        #expect(answer(&rules, 400, count: 1) == .deadLetter(reason: "invalidBody"))
    }

    @Test("EVT-4: a 413 from in front of the server splits the batch, and makes no dead letter")
    func foreignTooLarge() {
        var rules = UploadRules()
        rules.requestFlush()
        for (count, half) in [(100, 50), (50, 25), (25, 12), (12, 6), (6, 3), (3, 1)] {
            #expect(answer(&rules, 413, count: count, code: nil) == .kept)
            #expect(decide(rules, count: 100, at: 0) == .send(BatchLimit(count: half, bytes: policy.batchBytes)))
        }
        #expect(answer(&rules, 413, count: 1, code: nil) == .kept)
        #expect(decide(rules, count: 100, at: 0) == .wait(until: at(2), reason: .backingOff))
        // Any other response of a foreign server says nothing about events.
        var others = UploadRules()
        for status in [400, 403, 404, 415, 422, 511] {
            #expect(answer(&others, status, count: 100, code: nil) == .kept)
        }
        #expect(others.backoff.failures == 6)
    }

    @Test("EVT-4: an error about the app or the address is not the events' fault", arguments: [403, 404, 405])
    func notAboutContent(status: Int) {
        var rules = UploadRules()
        rules.requestFlush()
        #expect(answer(&rules, status, count: 50) == .heldBack)
        #expect(decide(rules, count: 50, at: 0) == .wait(until: at(2), reason: .backingOff))
        var unknownApp = UploadRules()
        #expect(answer(&unknownApp, 400, count: 50, code: "unknownApp") == .heldBack)
        #expect(decide(unknownApp, count: 50, at: 0) == .wait(until: at(2), reason: .backingOff))
    }

    @Test("EVT-5: 408, 429, 5xx and no response keep everything and back off, across restarts")
    func failures() throws {
        for status in [408, 429, 500, 503] {
            var rules = UploadRules()
            rules.requestFlush()
            #expect(answer(&rules, status, count: 50) == .kept)
            rules = try restarted(rules)
            #expect(decide(rules, count: 50, at: 0) == .wait(until: at(2), reason: .backingOff))
            #expect(decide(rules, count: 50, at: 2) == .send(full))
        }
        var rules = UploadRules()
        let silence = CallOutcome.noResponse("offline", at: at(0))
        #expect(rules.answered(silence, batchCount: 1, now: at(0), random: 0, policy: policy) == .kept)
        #expect(decide(rules, count: 50, at: 0) == .wait(until: at(2), reason: .backingOff))
        rules.networkReturned()
        #expect(decide(rules, count: 50, at: 0) == .send(full))
        let throttled = CallOutcome.response(status: 429, retryAfter: 120, at: at(0))
        #expect(rules.answered(throttled, batchCount: 1, now: at(0), random: 0, policy: policy) == .kept)
        #expect(decide(rules, count: 50, at: 0) == .wait(until: at(120), reason: .backingOff))
    }

    @Test("EVT-5: a full queue loses its oldest hundredth, never its newest")
    func limits() {
        let limits = QueueLimits(count: 1_000, bytes: 10_000, age: 60)
        #expect(limits.overflow(count: 1_000, bytes: 10_000) == 0)
        #expect(limits.overflow(count: 1_001, bytes: 1) == 10)
        #expect(limits.overflow(count: 2_000, bytes: 1) == 1_000)
        #expect(limits.overflow(count: 50, bytes: 10_001) == 1)
        #expect(limits.overflow(count: 1, bytes: 99_999) == 0)
        #expect(limits.oldestAllowed(now: at(100)) == at(40))
    }
}
