import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import Foundation
import Testing

struct ProviderCircuitBreakerTests {
    @Test("REG-33: the first credential error opens it, whenever it comes")
    func credentialError() {
        for answersBefore in [0, 1, 199, 200, 5_000] {
            var watch = ProviderCircuitBreaker()
            for _ in 0..<answersBefore {
                #expect(watch.observe(.accepted) == .proceed)
            }
            guard case .pause(let reason) = watch.observe(.credentialError(reason: "InvalidProviderToken")) else {
                Issue.record("continued after a credential error")
                continue
            }
            #expect(reason.contains("InvalidProviderToken"))
            #expect(watch.answers == min(answersBefore, 200))
        }
    }

    @Test("REG-35: more than half of the first 200 responses open it, half do not")
    func half() {
        var watch = ProviderCircuitBreaker()
        for index in 0..<100 {
            let fault: PushOutcome =
                index.isMultiple(of: 2) ? .tokenMalformed(reason: "BadDeviceToken") : .topicError(reason: "BadTopic")
            #expect(watch.observe(fault) == .proceed)
        }
        var unlucky = watch
        for _ in 0..<100 {
            #expect(watch.observe(.accepted) == .proceed)
        }
        // The window is closed: what comes now is judged one by one.
        for _ in 0..<500 {
            #expect(watch.observe(.tokenMalformed(reason: "BadDeviceToken")) == .proceed)
        }
        for _ in 0..<99 {
            #expect(unlucky.observe(.accepted) == .proceed)
        }
        guard case .pause(let reason) = unlucky.observe(.topicError(reason: "BadTopic")) else {
            Issue.record("continued with 101 errors among 200 responses")
            return
        }
        #expect(reason.contains("200 responses, 50 reported a malformed token and 51 a token of another topic"))
        #expect(reason.contains("environment"))
    }

    @Test("REG-35: a campaign whose every token is of another topic pauses at the 101st response")
    func allWrong() {
        var watch = ProviderCircuitBreaker()
        var answers = 0
        while watch.observe(.topicError(reason: "DeviceTokenNotForTopic")) == .proceed {
            answers += 1
        }
        #expect(answers == 100)
        #expect(watch.observe(.accepted) != .proceed)
    }

    @Test("REG-35: problems of the service, and invalid tokens, do not count as topic errors")
    func otherTrouble() {
        var watch = ProviderCircuitBreaker()
        for _ in 0..<1_000 {
            #expect(watch.observe(.unavailable(reason: "Shutdown", retryAfter: nil)) == .proceed)
            #expect(watch.observe(.throttled(reason: "TooManyRequests", retryAfter: 1)) == .proceed)
            #expect(watch.observe(.credentialExpired(reason: "ExpiredProviderToken")) == .proceed)
        }
        #expect(watch.answers == 0)
        for _ in 0..<1_000 {
            #expect(watch.observe(.tokenInvalid(reason: "Unregistered", since: nil)) == .proceed)
            #expect(watch.observe(.payloadError(reason: "PayloadTooLarge")) == .proceed)
        }
    }

    @Test(
        "REG-33, PUSH-2: a rejection of the credentials says where they are corrected",
        arguments: [
            ("THIRD_PARTY_AUTH_ERROR", "Firebase console"), ("SERVICE_DISABLED", "Google Cloud console"),
            ("PERMISSION_DENIED", "Google Cloud console"), ("ACCOUNT_STATE_INVALID", "Google Cloud console"),
            ("CONSUMER_SUSPENDED", "Google Cloud console"), ("InvalidProviderToken", "Set correct credentials"),
        ]
    )
    func advice(reason: String, place: String) {
        var watch = ProviderCircuitBreaker()
        guard case .pause(let sentence) = watch.observe(.credentialError(reason: reason)) else {
            Issue.record("continued after a credential error")
            return
        }
        #expect(sentence.contains(reason) && sentence.contains(place) && sentence.contains("then resume"))
    }

    @Test("REG-35: as many acceptances as make errors certain prove the credentials; earlier versions counted none")
    func proof() throws {
        var watch = ProviderCircuitBreaker()
        for _ in 0..<100 { _ = watch.observe(.accepted) }
        #expect(!watch.provesCredentials)
        _ = watch.observe(.accepted)
        #expect(watch.provesCredentials)
        let stored = try JSONEncoder().encode(watch)
        #expect(try JSONDecoder().decode(ProviderCircuitBreaker.self, from: stored) == watch)
        let former = Data(#"{"answers":150,"malformedTokens":2,"topicFaults":3}"#.utf8)
        let read = try JSONDecoder().decode(ProviderCircuitBreaker.self, from: former)
        #expect(read.answers == 150 && read.topicFaults == 3 && !read.provesCredentials)
    }

    @Test("REG-35: for any sequence, the result is that of the first 200 responses counted by hand", arguments: 1...4)
    func stories(seed: UInt64) {
        var dice = DeliveryDice(seed: seed)
        for _ in 0..<25 {
            let shareOfFaults = dice.fraction()
            var watch = ProviderCircuitBreaker()
            var errors = 0
            for response in 0..<400 {
                let isFault = dice.fraction() < shareOfFaults
                if isFault && response < 200 { errors += 1 }
                let decision = watch.observe(isFault ? .topicError(reason: "BadTopic") : .accepted)
                #expect((decision != .proceed) == (errors > 100))
                // A restart between two responses changes nothing.
                if dice.roll(20) == 0 {
                    watch = ProviderCircuitBreaker(
                        answers: watch.answers,
                        malformedTokens: watch.malformedTokens,
                        topicFaults: watch.topicFaults
                    )
                }
            }
        }
    }
}
