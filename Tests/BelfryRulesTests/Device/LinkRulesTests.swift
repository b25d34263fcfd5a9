import BelfryRules
import Foundation
import Testing

struct LinkRulesTests {
    private let now = deviceEpoch
    private let policy = Backoff.Policy.call
    private let anna = LinkTarget.known(key: "anna", field: nil)

    private func at(_ time: TimeInterval) -> Date {
        now.addingTimeInterval(time)
    }

    private func decide(_ rules: LinkRules, at time: TimeInterval = 0) -> LinkDecision {
        rules.decide(now: at(time), policy: policy)
    }

    private func tokens(_ name: String) -> ContactTokens {
        ContactTokens(contactToken: "token-\(name)", refreshToken: "refresh-\(name)")
    }

    /// Makes the link that is next.
    private func link(_ rules: inout LinkRules, _ name: String) {
        guard case .link(let link) = decide(rules, at: 1_000_000) else {
            Issue.record("no link is pending")
            return
        }
        rules.linkSucceeded(link, tokens: tokens(name), reference: "reference-\(name)")
    }

    private func launched() -> LinkRules {
        var rules = LinkRules()
        rules.launched()
        return rules
    }

    private func failure(_ status: Int) -> CallFailure {
        CallFailure(status: status, message: "no", at: now)
    }

    @Test("ID-1: without tokens the first link is anonymous; with tokens a start links nothing")
    func anonymous() throws {
        var rules = launched()
        #expect(decide(rules) == .link(PendingLink(owner: 0, target: .anonymous)))
        link(&rules, "a")
        #expect(decide(rules) == .ready)
        rules = try restarted(rules)
        rules.launched()
        #expect(decide(rules) == .ready)
        #expect(rules.references == [0: "reference-a"])
    }

    @Test("ID-3: identify links once; repeated with the same value it sends nothing")
    func identify() {
        var rules = launched()
        link(&rules, "a")
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        #expect(decide(rules) == .link(PendingLink(owner: 1, target: anna)))
        expectFalse(rules.identify(key: "anna", field: nil, now: now))
        link(&rules, "anna")
        expectFalse(rules.identify(key: "anna", field: nil, now: now))
        #expect(decide(rules) == .ready)
        expectTrue(rules.identify(key: "anna", field: "7", now: now))
        expectTrue(rules.identify(key: "bert", field: nil, now: now))
        #expect(rules.pending.count == 2)
    }

    @Test("ID-3: when identified before the first link, no anonymous contact is created")
    func identifiedAtOnce() {
        var rules = launched()
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        #expect(rules.pending == [PendingLink(owner: 0, target: anna)])
    }

    @Test("ID-4: events of an offline login and logout get their owners when the links are made")
    func offlineChanges() {
        var rules = launched()
        link(&rules, "first")
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        #expect(rules.owner == 1)
        expectTrue(rules.logout(hadContactKey: false))
        #expect(rules.owner == 2)
        expectTrue(rules.identify(key: "bert", field: nil, now: now))
        // The events between logout and login are merged into the contact that logs in.
        #expect(rules.owner == 2)
        link(&rules, "anna")
        link(&rules, "bert")
        #expect(rules.references == [0: "reference-first", 1: "reference-anna", 2: "reference-bert"])
        #expect(decide(rules) == .ready)
    }

    @Test("ID-7: references are kept while events wait for them, and those of the last owners longer")
    func forgottenOwners() {
        var rules = launched()
        for number in 0..<100 {
            link(&rules, "\(number)")
            _ = rules.identify(key: "person-\(number)", field: nil, now: now)
            rules.forgetOwners(below: 40)
        }
        #expect(rules.references.keys.sorted() == Array((40 - LinkRules.maximumPending)...99))
        rules.forgetOwners(below: 1_000)
        #expect(rules.references.keys.sorted() == Array((99 - LinkRules.maximumPending)...99))
    }

    @Test("ID-4: a logout of an anonymous contact changes nothing")
    func anonymousLogout() {
        var rules = launched()
        expectFalse(rules.logout(hadContactKey: false))
        link(&rules, "a")
        expectFalse(rules.logout(hadContactKey: false))
        #expect(decide(rules) == .ready)
    }

    @Test("ID-3: a response that comes after the app set another contact does not undo that")
    func changedMind() {
        var rules = launched()
        let sent = PendingLink(owner: 0, target: .anonymous)
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        rules.linkSucceeded(sent, tokens: tokens("a"), reference: "reference-a")
        #expect(decide(rules) == .link(PendingLink(owner: 0, target: anna)))
    }

    @Test("ID-3: a refused contact is replaced by an anonymous one, never by the previous contact")
    func rejectedContact() {
        var rules = launched()
        link(&rules, "a")
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        let rejected = PendingLink(owner: 1, target: anna)
        rules.linkFailed(
            .response(status: 403, code: "forbidden", at: now), for: rejected, now: now, random: 0, policy: policy
        )
        // It is anonymous already; its events continue under that contact.
        #expect(decide(rules) == .ready)
        #expect(rules.references[1] == "reference-a")

        expectTrue(rules.identify(key: "anna", field: nil, now: at(86_400)))
        link(&rules, "anna")
        expectTrue(rules.identify(key: "bert", field: nil, now: now))
        let bert = PendingLink(owner: rules.owner, target: .known(key: "bert", field: nil))
        rules.linkFailed(
            .response(status: 403, code: "forbidden", at: now), for: bert, now: now, random: 0, policy: policy
        )
        #expect(decide(rules) == .link(PendingLink(owner: rules.owner, target: .anonymous)))
    }

    @Test("ID-3: a refused contact that the app sets again at its next start delays nothing")
    func rejectedAgain() throws {
        var rules = launched()
        link(&rules, "a")
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        let rejected = PendingLink(owner: 1, target: anna)
        rules.linkFailed(
            .response(status: 403, code: "forbidden", at: now), for: rejected, now: now, random: 0, policy: policy
        )
        rules = try restarted(rules)
        rules.launched()
        expectFalse(rules.identify(key: "anna", field: nil, now: at(60)))
        #expect(decide(rules, at: 60) == .ready)
        #expect(rules.references[rules.owner] == "reference-a")
        // The server may have changed its mind by the next day.
        expectTrue(rules.identify(key: "anna", field: nil, now: at(86_400)))
        #expect(decide(rules, at: 86_400) == .link(PendingLink(owner: 2, target: anna)))
    }

    @Test("ID-3: every pending link to a refused contact is replaced, also one whose turn comes later")
    func rejectedTwice() {
        var rules = launched()
        link(&rules, "a")
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        expectTrue(rules.logout(hadContactKey: true))
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        let rejected = PendingLink(owner: 1, target: anna)
        rules.linkFailed(
            .response(status: 403, code: "forbidden", at: now), for: rejected, now: now, random: 0, policy: policy
        )
        // After the logout it may be another person, who does not get the contact of the one before (ID-4).
        #expect(decide(rules) == .link(PendingLink(owner: 2, target: .anonymous, person: 1)))
        link(&rules, "b")
        #expect(rules.references == [0: "reference-a", 1: "reference-a", 2: "reference-b"])
    }

    @Test("ID-3: a clock that is set forward and back closes a gate that had opened")
    func rejectedByAnotherClock() {
        var rules = launched()
        link(&rules, "a")
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        let rejected = PendingLink(owner: 1, target: anna)
        let no = CallOutcome.response(status: 403, code: "forbidden", at: now)
        rules.linkFailed(no, for: rejected, now: now, random: 0, policy: policy)
        expectTrue(rules.identify(key: "anna", field: nil, now: at(86_400)))
        rules.rebase(to: now)
        #expect(decide(rules) == .ready)
    }

    @Test("ID-4, ID-9: a logout is linked if a snapshot may have linked the device to a contact")
    func logoutOfNamed() {
        var rules = launched()
        link(&rules, "a")
        expectTrue(rules.logout(hadContactKey: true))
        #expect(decide(rules) == .link(PendingLink(owner: 1, target: .anonymous, person: 1)))
    }

    @Test("ID-7, REG-9: a contact key that is set is linked, once, whatever its field is")
    func named() {
        var rules = launched()
        link(&rules, "a")
        expectTrue(rules.named(key: "anna", field: nil, now: now))
        #expect(decide(rules) == .link(PendingLink(owner: 1, target: anna)))
        expectFalse(rules.named(key: "anna", field: nil, now: now))
        expectTrue(rules.identify(key: "bert", field: "7", now: now))
        expectFalse(rules.named(key: "bert", field: nil, now: now))
        #expect(rules.target == .known(key: "bert", field: "7"))
    }

    @Test("WIRE-22: with anonymous contacts off the device waits for identify, and tries again after a day")
    func anonymousDisabled() {
        var rules = launched()
        let sent = PendingLink(owner: 0, target: .anonymous)
        rules.linkFailed(
            .response(status: 403, code: "anonymousContactsDisabled", at: now), for: sent, now: now, random: 0,
            policy: policy
        )
        #expect(decide(rules, at: 10) == .wait(until: at(86_400), reason: .refused))
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        #expect(decide(rules, at: 10) == .link(PendingLink(owner: 0, target: anna)))
    }

    @Test("ID-6: a 401 leads to one refresh, and the new token is used")
    func refresh() {
        var rules = launched()
        link(&rules, "a")
        rules.tokenProved()
        rules.tokenRefused(failure(401), now: now, random: 0, policy: policy)
        #expect(!rules.hasUsableToken)
        #expect(decide(rules) == .refresh(refreshToken: "refresh-a"))
        rules.refreshed(contactToken: "token-b")
        #expect(decide(rules) == .ready)
        #expect(rules.tokens == ContactTokens(contactToken: "token-b", refreshToken: "refresh-a"))
    }

    @Test("ID-6: a token that is refused as soon as it is new causes no endless loop")
    func circle() {
        var rules = launched()
        link(&rules, "a")
        var time: TimeInterval = 0
        var delays: [TimeInterval] = []
        for _ in 0..<20 {
            rules.tokenRefused(failure(401), now: at(time), random: 0, policy: policy)
            guard case .wait(let until, .backingOff) = decide(rules, at: time) else {
                Issue.record("it is to wait")
                return
            }
            delays.append(until.timeIntervalSince(at(time)))
            time += delays[delays.count - 1]
            rules.refreshed(contactToken: "token-\(time)")
        }
        #expect(delays.prefix(3) == [2, 4, 8])
        #expect(delays.last == 86_400)
    }

    @Test("ID-6: after an unknown refresh token the same link is made again")
    func unknownRefreshToken() {
        var rules = launched()
        link(&rules, "a")
        _ = rules.identify(key: "anna", field: nil, now: now)
        link(&rules, "anna")
        rules.tokenProved()
        rules.tokenRefused(failure(401), now: now, random: 0, policy: policy)
        // Only the server's own word for it counts: the token would be lost.
        let others: [(Int, String?)] = [(400, "other"), (400, nil), (404, nil), (403, "forbidden"), (401, "code")]
        for (status, code) in others {
            let rejected = CallOutcome.response(status: status, code: code, at: now)
            expectFalse(rules.refreshFailed(rejected, now: now, random: 0, policy: policy))
            #expect(rules.tokens == tokens("anna"))
        }
        #expect(decide(rules) == .wait(until: at(32), reason: .backingOff))
        let unknown = CallOutcome.response(status: 400, code: "1101", at: now)
        expectTrue(rules.refreshFailed(unknown, now: now, random: 0, policy: policy))
        #expect(decide(rules) == .link(PendingLink(owner: 1, target: anna)))
        #expect(rules.tokens == nil)
    }

    @Test("ID-6: a failed refresh is retried; the token pair is kept")
    func failedRefresh() {
        var rules = launched()
        link(&rules, "a")
        rules.tokenProved()
        rules.tokenRefused(failure(401), now: now, random: 0, policy: policy)
        expectFalse(rules.refreshFailed(.response(status: 503, at: now), now: now, random: 0, policy: policy))
        #expect(decide(rules) == .wait(until: at(2), reason: .backingOff))
        #expect(decide(rules, at: 2) == .refresh(refreshToken: "refresh-a"))
    }

    @Test("ID-4: changes of contact while offline are limited")
    func bounded() {
        var rules = launched()
        // Owner → whom the app named when events were tracked for it.
        var named: [Int: String] = [0: "person-0"]
        for number in 0..<1_000 {
            _ = rules.identify(key: "person-\(number)", field: nil, now: now)
            #expect([nil, "person-\(number)"].contains(named[rules.owner]), "an owner is two persons'")
            named[rules.owner] = "person-\(number)"
            if number.isMultiple(of: 3) { _ = rules.logout(hadContactKey: false) }
        }
        #expect(rules.pending.count == LinkRules.maximumPending)
        #expect(rules.target == .anonymous)
        while case .link(let link) = decide(rules) {
            let name = if case .known(let key, _) = link.target { key } else { "nobody" }
            rules.linkSucceeded(link, tokens: tokens(name), reference: name)
        }
        let owners = rules.eventOwners(holdsPresent: false)
        for (owner, name) in named {
            guard case .leaves(let reference) = owners.resolution(of: owner) else { continue }
            #expect(reference == name || owner == rules.owner, "what \(name) did goes to \(reference ?? "whoever")")
        }
        #expect(owners.resolution(of: 300) == .orphaned)
        #expect(owners.resolution(of: rules.owner) == .leaves(reference: "nobody"))
    }

    @Test("ID-7: a contact that is set before the first start owns the events before it")
    func namedBeforeTheStart() {
        var rules = LinkRules()
        expectFalse(rules.logout(hadContactKey: true))
        expectTrue(rules.identify(key: "anna", field: nil, now: now))
        #expect(rules.owner == 0)
        expectTrue(rules.logout(hadContactKey: true))
        expectTrue(rules.identify(key: "bert", field: nil, now: now))
        rules.launched()
        link(&rules, "anna")
        link(&rules, "bert")
        #expect(rules.references == [0: "reference-anna", 1: "reference-bert"])
    }
}
