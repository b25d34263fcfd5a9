import BelfryRules
import Foundation
import Testing

/// The link's state about a person who has left.
struct LinkForgottenTests {
    private let now = deviceEpoch

    private func text(_ rules: LinkRules) throws -> String {
        String(decoding: try JSONEncoder().encode(rules), as: UTF8.self)
    }

    private func link(_ rules: inout LinkRules, _ name: String) {
        guard case .link(let link) = rules.decide(now: now, policy: .call) else {
            Issue.record("no link is pending")
            return
        }
        let tokens = ContactTokens(contactToken: "token", refreshToken: "refresh")
        rules.linkSucceeded(link, tokens: tokens, reference: "reference-\(name)")
    }

    @Test("ID-4: after a logout the key is removed before the next link is made, but still recognised")
    func logout() throws {
        var rules = LinkRules()
        rules.launched()
        link(&rules, "0")
        expectTrue(rules.identify(key: "anna-key", field: nil, now: now))
        link(&rules, "1")
        #expect(try text(rules).contains("anna-key"))
        expectTrue(rules.logout(hadContactKey: true))
        #expect(try !text(rules).contains("anna-key"))
        #expect(rules.linked?.target.isKnown == true)
        #expect(rules.namesContact)
        rules = try restarted(rules)
        rules.launched()
        expectTrue(rules.identify(key: "anna-key", field: nil, now: now))
        link(&rules, "2")
        #expect(rules.target == .known(key: "anna-key", field: nil))
    }

    @Test("ID-4, ID-7: a login that was not sent yet keeps its key, so that its events have an owner")
    func unsentLogin() throws {
        var rules = LinkRules()
        rules.launched()
        link(&rules, "0")
        expectTrue(rules.identify(key: "anna-key", field: nil, now: now))
        expectTrue(rules.logout(hadContactKey: true))
        #expect(try text(rules).contains("anna-key"))
        link(&rules, "1")
        link(&rules, "2")
        #expect(try !text(rules).contains("anna-key"))
    }
}
