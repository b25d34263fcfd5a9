import BelfryRules
import Foundation
import Testing

/// A nonce that a re-installed app sends back (REG-23), where the call fails.
struct LinkTakeoverTests {
    private let now = deviceEpoch

    /// An anonymous device that was offered its former contact, and could not say so.
    private func offered(_ outcome: CallOutcome) throws -> LinkRules {
        var rules = LinkRules()
        rules.launched()
        let first = PendingLink(owner: 0, target: .anonymous)
        let tokens = ContactTokens(contactToken: "token", refreshToken: "refresh")
        rules.linkSucceeded(first, tokens: tokens, reference: "abcdefghijkl.rest")
        expectTrue(rules.receivedNonce("n1", for: "abcdefghijkl"))
        guard case .link(let link) = decide(rules) else {
            Issue.record("the nonce is not sent")
            return rules
        }
        #expect(link.nonce == "n1" && rules.nextTakeover(now: now) == nil)
        rules.linkFailed(outcome, for: link, now: now, random: 0, policy: .call)
        return try restarted(rules)
    }

    private func decide(_ rules: LinkRules, after seconds: TimeInterval = 0) -> LinkDecision {
        rules.decide(now: now.addingTimeInterval(seconds), policy: .call)
    }

    @Test("REG-23, EVT-5: nothing waits for a nonce that cannot be sent; it is sent again after its back-off")
    func waits() throws {
        let rules = try offered(.answer(status: 503, at: now))
        #expect(decide(rules) == .ready && !rules.awaitsContact)
        #expect(rules.nextTakeover(now: now) == now.addingTimeInterval(2))
        guard case .link(let again) = decide(rules, after: 2) else {
            Issue.record("the nonce is not sent again")
            return
        }
        #expect(again.nonce == "n1" && rules.nextTakeover(now: now.addingTimeInterval(2)) == nil)
    }

    @Test("REG-23, REG-12: a nonce names nobody, so it does not end the wait for a contact key")
    func namesNobody() throws {
        #expect(try !offered(.answer(status: 503, at: now)).namesContact)
    }

    @Test("REG-23, ID-6: meanwhile an expired token is renewed, and a device that the server forgot links anew")
    func forgotten() throws {
        var rules = try offered(.answer(status: 503, at: now))
        rules.tokenProved()
        let expired = CallFailure(status: 401, code: "contactTokenExpired", message: "", at: now)
        rules.tokenRefused(expired, now: now, random: 0, policy: .call)
        #expect(decide(rules) == .refresh(refreshToken: "refresh"))
        let unknown = CallOutcome.answer(status: 400, code: "1101", at: now)
        expectTrue(rules.refreshFailed(unknown, now: now, random: 0, policy: .call))
        #expect(rules.pending == [PendingLink(owner: 0, target: .anonymous)] && rules.awaitsContact)
    }

    @Test("REG-23: a login takes the place of a nonce that waits")
    func login() throws {
        var rules = try offered(.answer(status: 503, at: now))
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        #expect(rules.pending.map(\.nonce) == [nil] && rules.pending.map(\.target) == [.known(key: "anna", field: nil)])
    }
}
