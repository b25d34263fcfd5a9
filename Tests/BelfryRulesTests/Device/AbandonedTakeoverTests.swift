import BelfryModel
import BelfryRules
import BelfryTestSupport
import Foundation
import Testing

/// A person who was refused leaves a re-installed app while its nonce waits (ID-4, REG-23): the next one's record and
/// push token must not get to their contact.
struct AbandonedTakeoverTests {
    enum Naming: CaseIterable {
        case key
        case party
        case openID
    }

    private let now = deviceEpoch
    private let policy = SyncPolicy()

    private func situation() throws -> SyncSituation {
        var record = ContactRecord()
        record.pushToken = try PushToken("abcd", provider: .apns, environment: .production)
        return SyncSituation(
            record: record, recordDigest: StableDigest(record: record),
            queue: QueueStatus(count: 1, bytes: 100, oldestAt: now), appState: .foreground, isOnline: true,
            isHurried: false
        )
    }

    private func next(_ state: SyncState, after seconds: TimeInterval = 0) throws -> SyncStep {
        SyncPlan.next(for: state, in: try situation(), now: now.addingTimeInterval(seconds), policy: policy)
    }

    private func identify(_ naming: Naming, _ name: String, in state: inout SyncState) throws {
        switch naming {
        case .key: expectTrue(state.link.identify(key: name, field: "crm", now: now))
        case .party:
            let party = PartyIdentifier(type: "customer", name: "CRM", number: name)
            expectTrue(state.link.identify(party, now: now))
        case .openID: expectTrue(state.link.identify(try OpenIDProof(openIDToken(for: name)), now: now))
        }
    }

    /// Fails the link that is next.
    private func fail(_ status: Int, in state: inout SyncState) throws -> PendingLink {
        guard case .link(let link) = try next(state) else { throw DeviceError.noLink }
        let outcome = CallOutcome.response(status: status, code: "code", at: now)
        state.link.linkFailed(outcome, for: link, now: now, random: 0, policy: .call)
        return link
    }

    private enum DeviceError: Error {
        case noLink
    }

    private func succeed(_ link: PendingLink, in state: inout SyncState) {
        let tokens = ContactTokens(contactToken: "token", refreshToken: "refresh")
        state.link.linkSucceeded(link, tokens: tokens, reference: "abcdefghijkl.rest")
    }

    /// Anna was refused, so the device is anonymous; and the nonce that it was offered is in its back-off.
    private func offered(_ naming: Naming) throws -> SyncState {
        var state = SyncState()
        state.launched()
        state.properties.attempted()
        state.answered(clientState: "state", serverTime: nil, sentAt: now, now: now)
        state.properties.answered(
            .accepted, for: try situation().propertiesDigest, hasClientState: true, now: now, random: 0, policy: .call
        )
        succeed(PendingLink(owner: 0, target: .anonymous), in: &state)
        try identify(naming, "anna", in: &state)
        let rejected = try fail(403, in: &state)
        expectTrue(state.link.receivedNonce("n1", for: "abcdefghijkl"))
        let nonce = try fail(503, in: &state)
        #expect(rejected.target.isKnown && nonce.nonce == "n1")
        return try restarted(state)
    }

    @Test(
        "ID-4, REG-23: after a logout nothing is sent before the anonymous link, which waits for no failed nonce",
        arguments: Naming.allCases)
    func logout(_ naming: Naming) throws {
        var state = try offered(naming)
        expectTrue(state.link.logout(hadContactKey: naming != .openID))
        let link = PendingLink(owner: 2, target: .anonymous, person: 1)
        #expect(state.link.pending == [link] && state.link.leavesPerson && state.link.needsFreshContact(link))
        #expect(try next(state) == .link(link))
        succeed(link, in: &state)
        guard case .putPushToken = try next(state) else {
            Issue.record("the push token is not registered for the next person")
            return
        }
    }

    @Test("ID-4, REG-23: nor before the link of another person", arguments: Naming.allCases)
    func another(_ naming: Naming) throws {
        var state = try offered(naming)
        state.link.personChanged()
        try identify(naming, "bert", in: &state)
        #expect(state.link.pending.map(\.owner) == [2] && state.link.pending.map(\.nonce) == [nil])
        guard case .link(let link) = try next(state) else {
            Issue.record("the next person is not linked")
            return
        }
        #expect(link.target.isKnown && link.person == 1)
    }

    @Test("ID-4, REG-23: a call with the nonce that is in progress during the logout changes nothing")
    func inProgress() throws {
        var state = try offered(.key)
        guard case .link(let nonce) = try next(state, after: 2) else { throw DeviceError.noLink }
        expectTrue(state.link.logout(hadContactKey: true))
        let link = PendingLink(owner: 2, target: .anonymous, person: 1)
        succeed(nonce, in: &state)
        #expect(try next(state, after: 2) == .link(link))
        #expect(state.link.leavesPerson && state.link.needsFreshContact(link))
    }

    @Test("ID-4, REG-23: a link that an earlier version stored behind a nonce takes its place at the next start")
    func storedBehind() throws {
        let former = try offered(.key)
        var state = former
        expectTrue(state.link.logout(hadContactKey: true))
        let (nonce, later) = (try encoded(former.link.pending), try encoded(state.link.pending))
        let both = "\(nonce.dropLast()),\(later.dropFirst())"
        let (failed, open) = (try encoded(former.link.linkGate), try encoded(state.link.linkGate))
        let stored = try encoded(state.link)
            .replacing("\"pending\":\(later)", with: "\"pending\":\(both)")
            .replacing("\"linkGate\":\(open)", with: "\"linkGate\":\(failed)")
        state.link = try decoded(LinkRules.self, stored)
        #expect(state.link.pending.map(\.nonce) == ["n1", nil])
        #expect(try next(state) == .wait(until: now.addingTimeInterval(2), reason: .backingOff))
        #expect(state.link.leavesPerson)
        state.link.launched()
        let link = PendingLink(owner: 2, target: .anonymous, person: 1)
        #expect(try next(state) == .link(link))
        succeed(link, in: &state)
        #expect(state.link.pending.isEmpty)
    }
}
