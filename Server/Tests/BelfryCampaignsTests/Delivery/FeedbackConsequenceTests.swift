import BelfryCampaigns
import BelfryModel
import BelfryRules
import BelfryServerModel
import Foundation
import Testing

struct FeedbackConsequenceTests {
    private let registered = deliveryEpoch
    private let now = deliveryEpoch.addingTimeInterval(3_600)

    @Test("REG-32: 'invalid since' opts out only when it is newer than the registration of the token")
    func invalidToken() {
        let table: [(seconds: TimeInterval?, optsOut: Bool)] = [
            (nil, true), (-1, false), (-0.001, false), (0, false), (0.001, true), (60, true),
        ]
        for (seconds, optsOut) in table {
            let since = seconds.map(registered.addingTimeInterval)
            let consequence = consequence(.tokenInvalid(reason: "Unregistered", since: since))
            #expect(consequence == (optsOut ? .optOut(OptOut(reason: .tokenInvalid, at: now)) : .none))
        }
    }

    @Test("REG-31: malformed tokens and wrong topics opt out with a reason and a time")
    func malformedToken() {
        let optOut = FeedbackConsequence.optOut(OptOut(reason: .tokenMalformed, at: now))
        #expect(consequence(.tokenMalformed(reason: "BadDeviceToken")) == optOut)
        #expect(consequence(.topicError(reason: "DeviceTokenNotForTopic")) == optOut)
    }

    @Test("REG-33: wrong credentials give provider-authentication and pause the campaign")
    func wrongKey() {
        let optOut = OptOut(reason: .providerAuthentication, at: now)
        let consequence = consequence(.credentialError(reason: "InvalidProviderToken"))
        #expect(consequence == .providerAuthentication(optOut))
        #expect(consequence.optOut == optOut)
    }

    @Test("PUSH-21: errors that are not the device's leave it alone")
    func harmless() {
        let outcomes: [PushOutcome] = [
            .accepted, .payloadError(reason: "PayloadTooLarge"), .credentialExpired(reason: "ExpiredProviderToken"),
            .throttled(reason: "TooManyRequests", retryAfter: 1), .unavailable(reason: "Shutdown", retryAfter: nil),
            .unanswered(reason: "time-out"), .notSent(reason: "no connection"),
        ]
        for outcome in outcomes {
            #expect(consequence(outcome) == .none)
        }
    }

    @Test("REG-34: which change lifts which opt-out")
    func lifting() {
        let changes: [ConsentChange] = [.newToken, .deviceOptIn]
        let table: [(reason: OptOutReason, lifted: [Bool])] = [
            (.user, [false, true]), (.osSetting, [false, true]), (.tokenInvalid, [true, true]),
            (.tokenMalformed, [true, true]), (.providerAuthentication, [false, false]),
        ]
        for (reason, lifted) in table {
            let optOut = OptOut(reason: reason, at: now)
            #expect(changes.map { optOut.isLifted(by: $0) } == lifted, "\(reason)")
        }
    }

    @Test("REG-34: each opt-out from a response ends with a new token, except the operator's", arguments: 1...4)
    func everyFeedbackOptOutCanEnd(seed: UInt64) {
        var dice = DeliveryDice(seed: seed)
        for _ in 0..<2_000 {
            let outcome = dice.outcome(near: now)
            let registeredAt = dice.date(near: now)
            let consequence = FeedbackConsequence.consequence(of: outcome, tokenRegisteredAt: registeredAt, now: now)
            if case .tokenInvalid(_, let since?) = outcome {
                #expect((consequence != .none) == (since > registeredAt))
            }
            guard let optOut = consequence.optOut else { continue }
            #expect(optOut.at == now)
            #expect(optOut.reason != .user && optOut.reason != .osSetting)
            #expect(optOut.isLifted(by: .newToken) == (optOut.reason != .providerAuthentication))
            #expect(optOut.isLifted(by: .deviceOptIn) == optOut.isLifted(by: .newToken))
        }
    }

    private func consequence(_ outcome: PushOutcome) -> FeedbackConsequence {
        .consequence(of: outcome, tokenRegisteredAt: registered, now: now)
    }
}
