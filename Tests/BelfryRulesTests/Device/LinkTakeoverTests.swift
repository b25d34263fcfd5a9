import BelfryRules
import Foundation
import Testing

/// A nonce that a re-installed app sends back (REG-23), where the call fails.
struct LinkTakeoverTests {
    private let now = deviceEpoch
    private let anna = PendingLink(owner: 1, target: .known(key: "anna", field: nil))

    private struct NoLink: Error {}

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
        let rules = try offered(.response(status: 503, at: now))
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
        #expect(try !offered(.response(status: 503, at: now)).namesContact)
    }

    @Test("REG-23, ID-6: meanwhile an expired token is renewed, and a device that the server forgot links anew")
    func forgotten() throws {
        var rules = try offered(.response(status: 503, at: now))
        rules.tokenProved()
        let expired = CallFailure(status: 401, code: "contactTokenExpired", message: "", at: now)
        rules.tokenRefused(expired, now: now, random: 0, policy: .call)
        #expect(decide(rules) == .refresh(refreshToken: "refresh"))
        let unknown = CallOutcome.response(status: 400, code: "1101", at: now)
        expectTrue(rules.refreshFailed(unknown, now: now, random: 0, policy: .call))
        #expect(rules.pending == [PendingLink(owner: 0, target: .anonymous)] && rules.awaitsContact)
        #expect(decide(rules) == .link(PendingLink(owner: 0, target: .anonymous)))
    }

    @Test("REG-23, MC-12: a login takes the place of a nonce that failed, at once, as another contact than the present")
    func login() throws {
        var rules = try offered(.response(status: 503, retryAfter: 3_600, at: now))
        #expect(rules.nextTakeover(now: now) == now.addingTimeInterval(3_600))
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        // What the anonymous contact has is not shown to Anna.
        #expect(rules.owner == 1 && rules.pending == [anna])
        #expect(try decide(restarted(rules)) == .link(anna))
    }

    @Test("REG-23, REG-6: what fails then is the login itself, and its waits begin with the first")
    func failingLogin() throws {
        var rules = try offered(.response(status: 503, at: now))
        for wait in [2, 4, 8] as [TimeInterval] {
            guard case .link(let nonce) = decide(rules, after: 100) else { throw NoLink() }
            rules.linkFailed(.response(status: 503, at: now), for: nonce, now: now, random: 0, policy: .call)
            #expect(rules.nextTakeover(now: now) == now.addingTimeInterval(2 * wait))
        }
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        rules.linkFailed(.response(status: 503, at: now), for: anna, now: now, random: 0, policy: .call)
        #expect(decide(rules) == .wait(until: now.addingTimeInterval(2), reason: .backingOff))
        // A link that follows does not end that wait.
        expectTrue(rules.identify(key: "bert", field: nil, now: now))
        #expect(decide(rules) == .wait(until: now.addingTimeInterval(2), reason: .backingOff))
    }

    @Test("REG-6: a login that takes the place of an anonymous link waits as long as that one has to")
    func ordinary() {
        var rules = LinkRules()
        rules.launched()
        let first = PendingLink(owner: 0, target: .anonymous)
        rules.linkFailed(.response(status: 503, at: now), for: first, now: now, random: 0, policy: .call)
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        #expect(rules.pending.map(\.target) == [anna.target])
        #expect(decide(rules) == .wait(until: now.addingTimeInterval(2), reason: .backingOff))
    }

    @Test(
        "REG-23: a call with a nonce that fails after a login was made in its place says nothing about the login",
        arguments: [
            CallOutcome.response(status: 503, at: deviceEpoch), .noResponse("lost", at: deviceEpoch),
            .response(status: 403, code: "nothingToTakeOver", at: deviceEpoch),
        ])
    func late(_ outcome: CallOutcome) throws {
        var rules = try offered(.response(status: 503, at: now))
        guard case .link(let nonce) = decide(rules, after: 2) else { throw NoLink() }
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        rules.linkFailed(outcome, for: nonce, now: now, random: 0, policy: .call)
        #expect(decide(rules) == .link(anna))
    }
}
