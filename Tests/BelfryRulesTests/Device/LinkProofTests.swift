import BelfryRules
import BelfryTestSupport
import Foundation
import Testing

/// Links that an OpenID token proves.
struct LinkProofTests {
    private let now = deviceEpoch
    private let policy = Backoff.Policy.call

    private func proof(_ subject: String, _ serial: Int = 0) throws -> OpenIDProof {
        try OpenIDProof(openIDToken(for: subject, serial: serial))
    }

    private func pendingLink(_ rules: LinkRules) throws -> PendingLink {
        guard case .link(let link) = rules.decide(now: now.addingTimeInterval(1_000_000), policy: policy) else {
            throw NoLink()
        }
        return link
    }

    private struct NoLink: Error {}

    /// Makes the link that is next.
    private func link(_ rules: inout LinkRules, _ name: String) throws {
        let tokens = ContactTokens(contactToken: "token-\(name)", refreshToken: "refresh-\(name)")
        rules.linkSucceeded(try pendingLink(rules), tokens: tokens, reference: "reference-\(name)")
    }

    /// Linked to an anonymous contact.
    private func anonymous() throws -> LinkRules {
        var rules = LinkRules()
        rules.launched()
        try link(&rules, "a")
        return rules
    }

    @Test("ID-3: a proven contact is linked once; its token is kept until the link is made and no longer")
    func linked() throws {
        var rules = try anonymous()
        let token = try proof("anna")
        expectTrue(rules.identify(token, now: now))
        #expect(rules.owner == 1)
        #expect(try restarted(rules).pending.first?.proof == token)
        expectFalse(rules.identify(token, now: now))
        try link(&rules, "anna")
        #expect(rules.decide(now: now, policy: policy) == .ready)
        #expect(rules.linked?.target == .openID(subject: token.subject))
        let stored = String(decoding: try JSONEncoder().encode(rules), as: UTF8.self)
        #expect(!stored.contains(token.token))
        rules = try restarted(rules)
        expectFalse(rules.identify(token, now: now))
        expectFalse(rules.identify(try proof("anna", 2), now: now))
        #expect(rules.decide(now: now, policy: policy) == .ready)
    }

    @Test("ID-3: a fresh token replaces the one that still waits, even if it is being sent")
    func renewed() throws {
        var rules = try anonymous()
        expectTrue(rules.identify(try proof("anna", 1), now: now))
        let sent = try pendingLink(rules)
        expectFalse(rules.identify(try proof("anna", 2), now: now))
        #expect(try pendingLink(rules).proof == proof("anna", 2))
        let tokens = ContactTokens(contactToken: "token", refreshToken: "refresh")
        rules.linkSucceeded(sent, tokens: tokens, reference: "reference")
        #expect(rules.pending.isEmpty)
    }

    @Test("ID-3: a refused token leads to an anonymous contact; it is not tried again, a fresh one is")
    func rejected() throws {
        var rules = try anonymous()
        expectTrue(rules.identify(try proof("anna", 1), now: now))
        let rejected = try pendingLink(rules)
        rules.linkFailed(
            .response(status: 403, code: "forbidden", at: now), for: rejected, now: now, random: 0, policy: policy
        )
        #expect(rules.decide(now: now, policy: policy) == .ready)
        #expect(rules.linked?.target == .anonymous)
        #expect(
            !String(decoding: try JSONEncoder().encode(rules), as: UTF8.self).contains(rejected.proof?.token ?? "-"))
        expectFalse(rules.identify(try proof("anna", 1), now: now))
        #expect(rules.pending.isEmpty)
        expectTrue(rules.identify(try proof("anna", 2), now: now))
        #expect(try pendingLink(rules).proof == proof("anna", 2))
    }

    @Test("ID-3: a fresh token that came while an old one was being refused is tried")
    func rejectedWhileRenewed() throws {
        var rules = try anonymous()
        expectTrue(rules.identify(try proof("anna", 1), now: now))
        let rejected = try pendingLink(rules)
        expectFalse(rules.identify(try proof("anna", 2), now: now))
        rules.linkFailed(
            .response(status: 403, code: "forbidden", at: now), for: rejected, now: now, random: 0, policy: policy
        )
        #expect(try pendingLink(rules).proof == proof("anna", 2))
    }

    @Test("ID-6: a proven contact that the server lost is anonymous until the next token; its events keep their owner")
    func lost() throws {
        var rules = try anonymous()
        expectTrue(rules.identify(try proof("anna"), now: now))
        try link(&rules, "anna")
        let unknown = CallOutcome.response(status: 400, code: "1101", at: now)
        expectTrue(rules.refreshFailed(unknown, now: now, random: 0, policy: policy))
        #expect(rules.pending == [PendingLink(owner: 2, target: .anonymous)])
        #expect(rules.references[1] == "reference-anna")
        expectTrue(rules.identify(try proof("anna", 2), now: now))
        #expect(rules.pending.count == 1)
        #expect(rules.owner == 2)
    }

    @Test("ID-4: a logout after a refused token links afresh: the contact has the refused person's data")
    func logoutOfRejected() throws {
        var rules = try anonymous()
        expectTrue(rules.identify(try proof("anna"), now: now))
        let rejected = try pendingLink(rules)
        rules.linkFailed(
            .response(status: 403, code: "forbidden", at: now), for: rejected, now: now, random: 0, policy: policy
        )
        expectTrue(rules.logout(hadContactKey: false))
        #expect(try pendingLink(rules).target == .anonymous)
        #expect(rules.subject == nil)
        expectFalse(rules.logout(hadContactKey: false))
    }

    @Test("REG-12: a contact is set by a key or a token, or by a logout")
    func namesContact() throws {
        var rules = LinkRules()
        rules.launched()
        #expect(!rules.namesContact)
        expectTrue(rules.identify(try proof("anna"), now: now))
        #expect(rules.namesContact)
        try link(&rules, "anna")
        #expect(rules.namesContact)
        expectTrue(rules.logout(hadContactKey: false))
        #expect(rules.namesContact)
        try link(&rules, "b")
        #expect(!rules.namesContact)
    }

    @Test("ID-3: a state that an earlier version stored is read correctly")
    func earlierVersion() throws {
        let gate = #"{"backoff":{"failures":0,"delay":0,"cause":"server"}}"#
        let json = """
            {"owner":2,"pending":[{"owner":2,"target":{"known":{"key":"bert","field":"7"}}},
             {"owner":3,"target":{"anonymous":{}}}],
             "linked":{"owner":1,"target":{"known":{"key":"anna"}}},"references":{"0":"reference-a","1":"reference-b"},
             "tokens":{"contactToken":"token","refreshToken":"refresh"},"tokenIsExpired":false,"tokenIsProven":true,
             "linkGate":\(gate),"refreshGate":\(gate)}
            """
        let rules = try JSONDecoder().decode(LinkRules.self, from: Data(json.utf8))
        #expect(rules.owner == 2)
        #expect(rules.linked == PendingLink(owner: 1, target: .known(key: "anna", field: nil)))
        #expect(rules.pending.map(\.target) == [.known(key: "bert", field: "7"), .anonymous])
        #expect(rules.references == [0: "reference-a", 1: "reference-b"])
        #expect(rules.subject == nil)
    }
}
