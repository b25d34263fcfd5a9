import BelfryModel
import BelfryRules
import Testing

struct ProviderTroubleWatchTests {
    @Test("REG-33: the first credential fault pauses, whenever it comes")
    func credentialFault() {
        for answersBefore in [0, 1, 199, 200, 5_000] {
            var watch = ProviderTroubleWatch()
            for _ in 0..<answersBefore {
                #expect(watch.observe(.accepted) == .goOn)
            }
            guard case .pause(let reason) = watch.observe(.credentialFault(reason: "InvalidProviderToken")) else {
                Issue.record("went on after a credential fault")
                continue
            }
            #expect(reason.contains("InvalidProviderToken"))
            #expect(watch.answers == min(answersBefore, 200))
        }
    }

    @Test("REG-35: more than half of the first 200 answers pause the campaign, half do not")
    func half() {
        var watch = ProviderTroubleWatch()
        for index in 0..<100 {
            let fault: PushOutcome =
                index.isMultiple(of: 2) ? .tokenMalformed(reason: "BadDeviceToken") : .topicFault(reason: "BadTopic")
            #expect(watch.observe(fault) == .goOn)
        }
        var unlucky = watch
        for _ in 0..<100 {
            #expect(watch.observe(.accepted) == .goOn)
        }
        // The window is closed: what comes now is judged one by one.
        for _ in 0..<500 {
            #expect(watch.observe(.tokenMalformed(reason: "BadDeviceToken")) == .goOn)
        }
        for _ in 0..<99 {
            #expect(unlucky.observe(.accepted) == .goOn)
        }
        guard case .pause(let reason) = unlucky.observe(.topicFault(reason: "BadTopic")) else {
            Issue.record("went on with 101 faults among 200 answers")
            return
        }
        #expect(reason.contains("200 answers, 50 called the token malformed and 51 said"))
        #expect(reason.contains("environment"))
    }

    @Test("REG-35: a campaign whose every token is of another topic pauses at the 101st answer")
    func allWrong() {
        var watch = ProviderTroubleWatch()
        var answers = 0
        while watch.observe(.topicFault(reason: "DeviceTokenNotForTopic")) == .goOn {
            answers += 1
        }
        #expect(answers == 100)
        #expect(watch.observe(.accepted) != .goOn)
    }

    @Test("REG-35: trouble of the service, and invalid tokens, are no topic trouble")
    func otherTrouble() {
        var watch = ProviderTroubleWatch()
        for _ in 0..<1_000 {
            #expect(watch.observe(.unavailable(reason: "Shutdown", retryAfter: nil)) == .goOn)
            #expect(watch.observe(.throttled(reason: "TooManyRequests", retryAfter: 1)) == .goOn)
            #expect(watch.observe(.credentialExpired(reason: "ExpiredProviderToken")) == .goOn)
        }
        #expect(watch.answers == 0)
        for _ in 0..<1_000 {
            #expect(watch.observe(.tokenInvalid(reason: "Unregistered", since: nil)) == .goOn)
            #expect(watch.observe(.payloadFault(reason: "PayloadTooLarge")) == .goOn)
        }
    }

    @Test("REG-35: for any story, the verdict is that of the first 200 answers counted by hand", arguments: 1...4)
    func stories(seed: UInt64) {
        var dice = DeliveryDice(seed: seed)
        for _ in 0..<25 {
            let shareOfFaults = dice.fraction()
            var watch = ProviderTroubleWatch()
            var faults = 0
            for answer in 0..<400 {
                let isFault = dice.fraction() < shareOfFaults
                if isFault && answer < 200 { faults += 1 }
                let verdict = watch.observe(isFault ? .topicFault(reason: "BadTopic") : .accepted)
                #expect((verdict != .goOn) == (faults > 100))
                // A restart between two answers changes nothing.
                if dice.roll(20) == 0 {
                    watch = ProviderTroubleWatch(
                        answers: watch.answers,
                        malformedTokens: watch.malformedTokens,
                        topicFaults: watch.topicFaults
                    )
                }
            }
        }
    }
}
