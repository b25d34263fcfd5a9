import BelfryCampaigns
import Foundation
import Testing

struct DeliveryRetryTests {
    @Test("PUSH-5: the first retry comes within a second, then the delay doubles up to five minutes")
    func doubling() {
        let ceilings: [Double] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]
        for (index, ceiling) in ceilings.enumerated() {
            let shortest = DeliveryRetry.delay(attempt: index + 1, retryAfter: nil, random: 0)
            let longest = DeliveryRetry.delay(attempt: index + 1, retryAfter: nil, random: 1)
            #expect(shortest == ceiling / 2)
            #expect(longest == ceiling)
        }
    }

    @Test("PUSH-5: no attempt, Retry-After or jitter makes a delay out of range", arguments: 1...4)
    func bounds(seed: UInt64) {
        var dice = DeliveryDice(seed: seed)
        let oddSeconds: [TimeInterval] = [-1, 0, .infinity, -.infinity, .nan, .greatestFiniteMagnitude]
        for _ in 0..<2_000 {
            let attempt = dice.roll(4) == 0 ? [Int.min, -1, 0, Int.max][dice.roll(4)] : dice.roll(50) + 1
            let asked = dice.roll(3) == 0 ? oddSeconds[dice.roll(6)] : Double(dice.roll(10_000))
            let retryAfter = dice.roll(3) == 0 ? nil : asked
            let delay = DeliveryRetry.delay(attempt: attempt, retryAfter: retryAfter, random: dice.fraction())
            #expect(delay >= 0.5)
            #expect(delay <= DeliveryRetry.maximumRetryAfter * 1.1)
            if retryAfter == nil { #expect(delay <= DeliveryRetry.maximumDelay) }
        }
    }

    @Test("PUSH-4: Retry-After is the minimum delay, for an hour at most, with jitter")
    func retryAfter() {
        #expect(DeliveryRetry.delay(attempt: 1, retryAfter: 60, random: 0) == 60)
        #expect(DeliveryRetry.delay(attempt: 1, retryAfter: 60, random: 1) == 66)
        #expect(DeliveryRetry.delay(attempt: 12, retryAfter: 60, random: 0) == 150)
        #expect(DeliveryRetry.delay(attempt: 1, retryAfter: 86_400, random: 0) == 3_600)
        #expect(DeliveryRetry.delay(attempt: 1, retryAfter: 0, random: 0.5) == 0.75)
    }

    @Test("CAMP-5: a message expires its time to live after the launch, four weeks by default")
    func expiry() {
        let table: [(ttl: Int?, seconds: TimeInterval)] = [
            (nil, 2_419_200), (0, 0), (-7, 0), (Int.min, 0), (3_600, 3_600), (Int.max, 31_536_000),
        ]
        for (ttl, seconds) in table {
            let expiry = DeliveryDeadline.expiry(launchedAt: deliveryEpoch, ttlSeconds: ttl)
            #expect(expiry == deliveryEpoch.addingTimeInterval(seconds))
        }
    }

    @Test("PUSH-5: retries end when the message expires, or a day after the campaign began to send")
    func lastRetry() {
        let inAnHour = deliveryEpoch.addingTimeInterval(3_600)
        let inAWeek = deliveryEpoch.addingTimeInterval(604_800)
        #expect(DeliveryDeadline.lastRetry(startedAt: deliveryEpoch, expiresAt: inAnHour) == inAnHour)
        let tomorrow = deliveryEpoch.addingTimeInterval(86_400)
        #expect(DeliveryDeadline.lastRetry(startedAt: deliveryEpoch, expiresAt: inAWeek) == tomorrow)
        let limited = DeliveryDeadline.lastRetry(startedAt: deliveryEpoch, expiresAt: inAWeek, retryLimit: 60)
        #expect(limited == deliveryEpoch.addingTimeInterval(60))
    }
}
