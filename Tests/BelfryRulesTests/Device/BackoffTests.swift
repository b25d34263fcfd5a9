import BelfryRules
import Foundation
import Testing

struct BackoffTests {
    private let now = deviceEpoch

    @Test("REG-6: the first retry comes after a minute, delays double up to a day, then it is daily")
    func growth() {
        var backoff = Backoff()
        var delays: [TimeInterval] = []
        for _ in 0..<14 {
            backoff.failed(at: now, cause: .server, retryAfter: nil, random: 0, policy: .registration)
            delays.append(backoff.nextAttempt?.timeIntervalSince(now) ?? 0)
        }
        #expect(delays.prefix(4) == [60, 120, 240, 480])
        #expect(delays.suffix(3) == [86_400, 86_400, 86_400])
        #expect(zip(delays, delays.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("REG-6: jitter lengthens a delay by at most its part and never beyond the maximum", arguments: UInt64(1)...50)
    func jitter(seed: UInt64) {
        var dice = DeviceDice(seed: seed)
        var backoff = Backoff()
        for failure in 0..<20 {
            backoff.failed(at: now, cause: .server, retryAfter: nil, random: dice.unit(), policy: .registration)
            let delay = backoff.nextAttempt?.timeIntervalSince(now) ?? 0
            let plain = min(86_400, 60 * pow(2, Double(failure)))
            #expect(delay >= plain - 0.001)
            #expect(delay <= min(86_400, plain * 1.25) + 0.001)
        }
    }

    @Test("REG-6: Retry-After is a minimum, never shortens a delay, and is itself limited")
    func retryAfter() {
        var backoff = Backoff()
        backoff.failed(at: now, cause: .server, retryAfter: 300, random: 0, policy: .registration)
        #expect(backoff.nextAttempt == now.addingTimeInterval(300))
        backoff.failed(at: now, cause: .server, retryAfter: 1, random: 0, policy: .registration)
        #expect(backoff.nextAttempt == now.addingTimeInterval(120))
        backoff.failed(at: now, cause: .server, retryAfter: 1e9, random: 0, policy: .registration)
        #expect(backoff.nextAttempt == now.addingTimeInterval(Backoff.maximumRetryAfter))
    }

    @Test("EVT-5: every call is retried after seconds, then after doubled delays, then daily")
    func calls() {
        var backoff = Backoff()
        var delays: [TimeInterval] = []
        for _ in 0..<20 {
            backoff.failed(at: now, cause: .server, retryAfter: nil, random: 0, policy: .call)
            delays.append(backoff.nextAttempt?.timeIntervalSince(now) ?? 0)
        }
        #expect(delays.prefix(4) == [2, 4, 8, 16])
        #expect(delays.suffix(3) == [86_400, 86_400, 86_400])
    }

    @Test("EVT-5: an app that is opened waits a quarter of an hour at most, and no less than the server asked for")
    func opened() {
        var backoff = Backoff()
        backoff.appOpened()
        #expect(backoff.nextAttempt == nil)
        backoff.failed(at: now, cause: .server, retryAfter: nil, random: 0, policy: .call)
        backoff.appOpened()
        #expect(backoff.nextAttempt == now.addingTimeInterval(2))
        for _ in 0..<20 { backoff.failed(at: now, cause: .server, retryAfter: nil, random: 0, policy: .call) }
        backoff.appOpened()
        backoff.appOpened()
        #expect(backoff.nextAttempt == now.addingTimeInterval(900))
        // The next failure waits as long as ever.
        backoff.failed(at: now, cause: .server, retryAfter: 3_600, random: 0, policy: .call)
        #expect(backoff.nextAttempt == now.addingTimeInterval(86_400))
        backoff.appOpened()
        #expect(backoff.nextAttempt == now.addingTimeInterval(3_600))
    }

    @Test("REG-6: a restart neither forgets a failure nor shortens a delay")
    func restart() throws {
        var backoff = Backoff()
        backoff.failed(at: now, cause: .network, retryAfter: nil, random: 0.5, policy: .call)
        #expect(try restarted(backoff) == backoff)
    }

    @Test("REG-6: a clock that was set back makes no wait longer than its delay")
    func clockSetBack() {
        var backoff = Backoff()
        backoff.failed(at: now, cause: .server, retryAfter: nil, random: 0, policy: .registration)
        let earlier = now.addingTimeInterval(-86_400 * 30)
        backoff.rebase(to: earlier)
        #expect(backoff.nextAttempt == earlier.addingTimeInterval(60))
        backoff.rebase(to: now)
        #expect(backoff.nextAttempt == earlier.addingTimeInterval(60))
    }

    @Test("REG-7: the network's return ends a wait for the network, not a Retry-After")
    func network() {
        var offline = Backoff()
        offline.failed(at: now, cause: .network, retryAfter: nil, random: 0, policy: .registration)
        offline.networkReturned()
        #expect(offline.nextAttempt == now)
        var rejected = Backoff()
        rejected.failed(at: now, cause: .server, retryAfter: nil, random: 0, policy: .registration)
        rejected.networkReturned()
        #expect(rejected.nextAttempt == now.addingTimeInterval(60))
    }

    @Test("EVT-5: 408, 429 and 5xx are retried, other 4xx are not, 401 requests a new token")
    func outcomes() {
        for status in [408, 425, 429, 500, 502, 503, 504, 302] {
            guard case .failed = CallOutcome.response(status: status, at: now) else {
                Issue.record("\(status) is to be tried again")
                continue
            }
        }
        for status in [400, 403, 404, 405, 410, 413, 415, 422] {
            guard case .refused = CallOutcome.response(status: status, code: "refused", at: now) else {
                Issue.record("\(status) is refused for good")
                continue
            }
        }
        guard case .unauthorized(let failure) = CallOutcome.response(status: 401, code: "expired", at: now) else {
            Issue.record("401 asks for a token")
            return
        }
        #expect(failure.status == 401)
        #expect(CallOutcome.response(status: 204, at: now) == .accepted)
    }

    @Test("EVT-5, REG-6: only a Belfry server refuses; a response from in front of it, or an unknown app, is retried")
    func foreignRejections() {
        for status in [302, 400, 401, 403, 404, 405, 407, 410, 413, 415, 422, 451, 511] {
            guard case .failed(let failure, let cause, _) = CallOutcome.response(status: status, at: now) else {
                Issue.record("\(status) without a code does not come from a Belfry server")
                continue
            }
            #expect(failure.status == status && cause == .network && !failure.isErasure && !failure.isForgotten)
        }
        for status in [408, 425, 429, 500, 503] {
            let outcome = CallOutcome.response(status: status, retryAfter: 7, at: now)
            guard case .failed(_, let cause, let retryAfter) = outcome, cause == .server, retryAfter == 7 else {
                Issue.record("\(status) asks for patience")
                continue
            }
        }
        let unknown = CallOutcome.response(status: 400, code: "unknownApp", at: now)
        guard case .failed(_, let cause, _) = unknown, cause == .server else {
            Issue.record("an app that is not there yet refuses nothing")
            return
        }
    }
}
