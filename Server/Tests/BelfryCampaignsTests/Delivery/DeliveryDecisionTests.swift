import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import Foundation
import Testing

struct DeliveryDecisionTests {
    private let now = deliveryEpoch
    private let later = deliveryEpoch.addingTimeInterval(86_400)

    @Test("PUSH-21: token, topic, credential and payload errors have different results")
    func table() {
        let table: [(outcome: PushOutcome, decision: DeliveryDecision)] = [
            (.accepted, .final(state: .accepted, reason: nil)),
            (.tokenInvalid(reason: "Unregistered", since: now), rejected("Unregistered")),
            (.tokenInvalid(reason: "Unregistered", since: nil), rejected("Unregistered")),
            (.tokenMalformed(reason: "BadDeviceToken"), rejected("BadDeviceToken")),
            (.topicError(reason: "BadTopic"), rejected("BadTopic")),
            (.payloadError(reason: "PayloadTooLarge"), rejected("PayloadTooLarge")),
            (.credentialError(reason: "Forbidden"), .hold),
            (.credentialExpired(reason: "ExpiredProviderToken"), .renewCredentialAndRetry(at: now)),
            (.throttled(reason: "TooManyRequests", retryAfter: 20), .retry(at: now.addingTimeInterval(20))),
            (.unavailable(reason: "Shutdown", retryAfter: nil), .retry(at: now.addingTimeInterval(0.5))),
            (.unanswered(reason: "time-out"), .retry(at: now.addingTimeInterval(0.5))),
            (.notSent(reason: "no connection"), .retry(at: now.addingTimeInterval(0.5))),
        ]
        for (outcome, decision) in table {
            #expect(decide(outcome, attempt: 1) == decision)
        }
    }

    @Test("LED-1: a send answered 'later' until its end is rejected, expired; one without any answer, noAnswer")
    func timeIsOver() {
        let unavailable = PushOutcome.unavailable(reason: "Shutdown", retryAfter: nil)
        let soon = now.addingTimeInterval(0.5)
        #expect(decide(unavailable, attempt: 1, expiresAt: soon) == .retry(at: soon))
        #expect(decide(unavailable, attempt: 1, expiresAt: soon.addingTimeInterval(-0.1)) == expired)
        #expect(decide(unavailable, attempt: 1, expiresAt: now) == expired)
        let throttled = PushOutcome.throttled(reason: "TooManyRequests", retryAfter: 60)
        #expect(decide(throttled, attempt: 1, expiresAt: now.addingTimeInterval(59)) == expired)
        let old = PushOutcome.credentialExpired(reason: "ExpiredProviderToken")
        #expect(decide(old, attempt: 2, expiresAt: now) == expired)
        for lost in [PushOutcome.unanswered(reason: "time-out"), .notSent(reason: "no connection")] {
            #expect(decide(lost, attempt: 2, expiresAt: now, resendUntil: now) == noAnswer)
            #expect(decide(lost, attempt: 2, wasDeferred: true, expiresAt: now, resendUntil: now) == expired)
        }
    }

    @Test("PUSH-4: a send that never left is retried soon, any number of times, until its own end")
    func notSent() {
        let outcome = PushOutcome.notSent(reason: "no connection")
        let soon = DeliveryDecision.retry(at: now.addingTimeInterval(0.5))
        #expect(decide(outcome, attempt: 1, expiresAt: now) == soon)
        #expect(decide(outcome, attempt: 50, expiresAt: now) == soon)
        // A send that cannot leave for a long time is tried less often, but still regularly.
        for (triedFor, delay) in [(0.4, 0.5), (2, 2), (15, 15), (80_000, 15)] {
            let again = DeliveryDecision.retry(at: now.addingTimeInterval(delay))
            #expect(decide(outcome, attempt: 1, triedFor: triedFor) == again)
        }
        // Nor does it let its last seconds pass.
        for (left, delay) in [(20.0, 10.0), (3, 1.5), (0.8, 0.5)] {
            let again = DeliveryDecision.retry(at: now.addingTimeInterval(delay))
            let until = now.addingTimeInterval(left)
            #expect(decide(outcome, attempt: 1, resendUntil: until, triedFor: 100) == again)
        }
        #expect(decide(outcome, attempt: 1, expiresAt: now, resendUntil: now.addingTimeInterval(0.4)) == noAnswer)
        #expect(decide(.unanswered(reason: "time-out"), attempt: 1, expiresAt: now) == noAnswer)
    }

    @Test("PUSH-5: a send that never left may leave until the message expires, or for a day if its life is 0")
    func lastResend() {
        let launch = now.addingTimeInterval(-10)
        let table: [(ttl: Int?, end: Date)] = [
            (0, later), (-1, later), (60, launch.addingTimeInterval(60)), (nil, later), (1_000_000, later),
        ]
        for (ttl, end) in table {
            #expect(DeliveryDeadline.lastResend(startedAt: now, launchedAt: launch, ttlSeconds: ttl) == end)
        }
    }

    @Test("REG-33: wrong credentials end no send, however late it is")
    func hold() {
        let outcome = PushOutcome.credentialError(reason: "InvalidProviderToken")
        #expect(decide(outcome, attempt: 99, expiresAt: .distantPast) == .hold)
    }

    @Test("PUSH-4: an old provider token is renewed at once, and again only with growing delays")
    func renewal() {
        let outcome = PushOutcome.credentialExpired(reason: "ExpiredProviderToken")
        #expect(decide(outcome, attempt: 1) == .renewCredentialAndRetry(at: now))
        #expect(decide(outcome, attempt: 1, expiresAt: .distantPast) == .renewCredentialAndRetry(at: now))
        #expect(decide(outcome, attempt: 2) == .renewCredentialAndRetry(at: now.addingTimeInterval(1)))
        #expect(decide(outcome, attempt: 12) == .renewCredentialAndRetry(at: now.addingTimeInterval(150)))
    }

    @Test("LED-1: whatever a push service responds, each send ends in one final state or is held", arguments: 1...4)
    func stories(seed: UInt64) {
        var dice = DeliveryDice(seed: seed)
        for _ in 0..<60 {
            var now = deliveryEpoch
            let launch = now
            let expiry = DeliveryDeadline.expiry(launchedAt: launch, ttlSeconds: dice.roll(200_000))
            let end = DeliveryDeadline.lastRetry(startedAt: launch, expiresAt: expiry)
            let isDown = dice.roll(2) == 0
            var (attempt, wasDeferred) = (1, false)
            story: while true {
                let outcome = isDown ? .unavailable(reason: "down", retryAfter: nil) : dice.outcome(near: now)
                let decision = DeliveryDecision.decide(
                    outcome: outcome,
                    attempt: attempt,
                    wasDeferred: wasDeferred,
                    now: now,
                    expiresAt: end,
                    resendUntil: end,
                    triedFor: now.timeIntervalSince(launch),
                    random: dice.fraction()
                )
                switch decision {
                case .final(let state, let reason):
                    #expect(state != .pending)
                    #expect((reason == nil) == (state == .accepted))
                    #expect(reason != .expired || wasDeferred || outcome.isAnswer)
                    #expect(reason != .noAnswer || !(wasDeferred || outcome.isAnswer))
                    break story
                case .hold:
                    break story
                case .retry(let next):
                    #expect(next > now && next <= end)
                    now = next
                case .renewCredentialAndRetry(let next):
                    #expect(next >= now)
                    now = next
                }
                attempt += 1
                wasDeferred = wasDeferred || outcome.isAnswer
                if attempt > 1_000 {
                    Issue.record("no end after \(attempt) attempts")
                    break story
                }
            }
        }
    }

    private let noAnswer = DeliveryDecision.final(state: .rejected, reason: .noAnswer)
    private let expired = DeliveryDecision.final(state: .rejected, reason: .expired)

    private func rejected(_ reason: String) -> DeliveryDecision {
        .final(state: .rejected, reason: DeliveryReason(rawValue: reason))
    }

    private func decide(
        _ outcome: PushOutcome, attempt: Int, wasDeferred: Bool = false, expiresAt: Date? = nil,
        resendUntil: Date? = nil, triedFor: TimeInterval = 0
    ) -> DeliveryDecision {
        .decide(
            outcome: outcome, attempt: attempt, wasDeferred: wasDeferred, now: now, expiresAt: expiresAt ?? later,
            resendUntil: resendUntil ?? later, triedFor: triedFor, random: 0
        )
    }
}
