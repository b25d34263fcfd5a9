import BelfryRules
import Foundation
import Testing

/// Anonymous contacts belong to one person: what one leaves on theirs never moves to the next.
struct LinkPersonTests {
    private let now = deviceEpoch
    private let policy = Backoff.Policy.call

    private func reject(_ rules: inout LinkRules) {
        guard case .link(let link) = rules.decide(now: now, policy: policy) else {
            Issue.record("no link is pending")
            return
        }
        let no = CallOutcome.response(status: 403, code: "no", at: now)
        rules.linkFailed(no, for: link, now: now, random: 0, policy: policy)
    }

    /// Makes the link that is next, as the server would.
    ///
    /// - Returns: whether it asked for a fresh contact.
    private func link(_ rules: inout LinkRules, _ name: String) -> Bool {
        guard case .link(let link) = rules.decide(now: now, policy: policy) else {
            Issue.record("no link is pending")
            return false
        }
        let isFresh = rules.needsFreshContact(link)
        let tokens = ContactTokens(contactToken: "token-\(name)", refreshToken: "refresh-\(name)")
        rules.linkSucceeded(link, tokens: tokens, reference: name)
        return isFresh
    }

    /// Linked to an anonymous contact.
    private func anonymous() -> LinkRules {
        var rules = LinkRules()
        rules.launched()
        expectFalse(link(&rules, "A"))
        return rules
    }

    @Test("ID-4: a logout after a refused login requests a fresh contact, also after a restart")
    func logoutAfterRejection() throws {
        var rules = anonymous()
        _ = rules.identify(key: "anna", field: nil, now: now)
        reject(&rules)
        #expect(rules.references[1] == "A")
        expectTrue(rules.logout(hadContactKey: true))
        rules = try restarted(rules)
        #expect(rules.leavesPerson)
        expectTrue(link(&rules, "B"))
        #expect(!rules.leavesPerson)
        #expect(rules.references == [0: "A", 1: "A", 2: "B"])
    }

    @Test("ID-4, ID-7: two refused persons of one offline period do not share an anonymous contact")
    func rejectedOffline() {
        var rules = anonymous()
        _ = rules.identify(key: "anna", field: nil, now: now)
        expectTrue(rules.logout(hadContactKey: true))
        _ = rules.identify(key: "bert", field: nil, now: now)
        reject(&rules)
        reject(&rules)
        expectTrue(link(&rules, "B"))
        #expect(rules.references == [0: "A", 1: "A", 2: "B"])
    }

    @Test("ID-4: a refused person after another refused one has their own contact")
    func rejectedInARow() {
        var rules = anonymous()
        _ = rules.identify(key: "anna", field: nil, now: now)
        reject(&rules)
        rules.personChanged()
        _ = rules.identify(key: "bert", field: nil, now: now)
        reject(&rules)
        expectTrue(link(&rules, "B"))
        #expect(rules.references == [0: "A", 1: "A", 2: "B"])
    }

    @Test("ID-4: a person who is still refused gets a fresh contact if another one used the device meanwhile")
    func rejectedAndBack() {
        var rules = anonymous()
        _ = rules.identify(key: "anna", field: nil, now: now)
        reject(&rules)
        rules.personChanged()
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        #expect(rules.target == .anonymous)
        expectTrue(link(&rules, "B"))
        #expect(rules.references == [0: "A", 1: "A", 2: "B"])
    }

    @Test("ID-8: a person's anonymous contact stays theirs through a refused login, a lost registration and a login")
    func samePerson() {
        var rules = anonymous()
        _ = rules.identify(key: "anna", field: nil, now: now)
        reject(&rules)
        #expect(rules.decide(now: now, policy: policy) == .ready)
        let lost = CallOutcome.response(status: 400, code: "1101", at: now)
        expectTrue(rules.refreshFailed(lost, now: now, random: 0, policy: policy))
        expectFalse(link(&rules, "A"))
        #expect(!rules.isStranded(now: now))
    }

    @Test("ID-4, WIRE-22: after a refused logout the device knows that it is still the former person's")
    func stranded() throws {
        var rules = LinkRules()
        _ = rules.identify(key: "anna", field: nil, now: now)
        rules.launched()
        _ = link(&rules, "anna")
        _ = rules.logout(hadContactKey: true)
        #expect(rules.leavesPerson && !rules.isStranded(now: now))
        reject(&rules)
        rules = try restarted(rules)
        #expect(rules.isStranded(now: now))
        #expect(rules.decideToken(now: now) == .ready)
        _ = rules.identify(key: "bert", field: nil, now: now)
        #expect(rules.leavesPerson && !rules.isStranded(now: now))
        _ = link(&rules, "bert")
        #expect(!rules.leavesPerson)
    }
}
