import BelfryModel
import BelfryRules
import Foundation
import Testing

/// The place of message centers and badges in what a device says.
struct SyncPlanMessageCenterTests {
    private let linkedState: SyncState = {
        var state = SyncState()
        state.launched()
        state.answered(clientState: "state", serverTime: nil, sentAt: deviceEpoch, now: deviceEpoch)
        let digest = StableDigest(properties: ContactRecord().system, osPushEnabled: nil)
        state.properties.answered(
            .accepted, for: digest, hasClientState: true, now: deviceEpoch, random: 0, policy: .call
        )
        let tokens = ContactTokens(contactToken: "token", refreshToken: "refresh")
        if let link = state.link.pending.first {
            state.link.linkSucceeded(link, tokens: tokens, reference: "reference")
        }
        let record = StableDigest(record: ContactRecord())
        let revision = state.registration.attempted(at: deviceEpoch)
        state.registration.succeeded(record, sent: revision, serverRevision: revision, current: record)
        return state
    }()

    private func situation(_ change: (inout SyncSituation) -> Void = { _ in }) -> SyncSituation {
        var situation = SyncSituation(
            record: ContactRecord(), recordDigest: StableDigest(record: ContactRecord()), queue: QueueStatus(),
            appState: .foreground, isOnline: true, isHurried: false
        )
        change(&situation)
        return situation
    }

    private func next(_ state: SyncState, _ situation: SyncSituation) -> SyncStep {
        SyncPlan.next(for: state, in: situation, now: deviceEpoch, policy: SyncPolicy())
    }

    @Test("MC-4, MC-14, BADGE-5: first changes, then the fetch, then the badge, only with a linked contact")
    func order() {
        var state = linkedState
        let pending = PendingMessageState(id: "a", state: .read, owner: 0)
        #expect(next(state, situation()) == .idle(.nothingToDo))
        state.centers.setEnabled(true)
        state.badge.attempted()
        #expect(next(state, situation { $0.pendingState = pending }) == .putMessageState(pending))
        #expect(next(state, situation()) == .fetchCenters)
        var left = state
        left.badge.received(Badge(count: 1, revision: 1))
        left.badge.personLeft(isTakenBack: false)
        #expect(next(left, situation()) == .resetBadge)
        state.centers.succeeded(listed: [], marks: 0, now: deviceEpoch)
        _ = state.centers.wanted("Offers")
        #expect(next(state, situation()) == .fetchCenter("Offers"))
        state.centers.answered("Offers", .response(status: 404, code: "unknownMessageCenter", at: deviceEpoch))
        #expect(next(state, situation()) == .fetchBadge)
        state.badge.answered(.none, askedAt: 0)
        #expect(next(state, situation()) == .wait(until: deviceEpoch + 300, reason: .fetchedLately))
        _ = state.link.identify(key: "anna", field: nil, now: deviceEpoch)
        state.centers.contactChanged()
        guard case .link = next(state, situation { $0.pendingState = pending }) else {
            Issue.record("messages were fetched for the contact before")
            return
        }
    }

    @Test("BADGE-2, MC-9: awaited calls come first once the contact is linked, and never wait for a network")
    func awaited() {
        var state = linkedState
        state.centers.setEnabled(true)
        #expect(next(state, situation { $0.isAwaited = true }) == .awaitedCall)
        #expect(next(state, situation { ($0.isAwaited, $0.isOnline) = (true, false) }) == .idle(.offline))
        #expect(next(state, situation { ($0.isAwaited, $0.isResting) = (true, true) }) == .idle(.resting))
        state.link.tokenProved()
        state.link.tokenRefused(
            CallFailure(status: 401, message: "no", at: deviceEpoch), now: deviceEpoch, random: 0, policy: .call
        )
        #expect(next(state, situation { $0.isAwaited = true }) == .refreshToken("refresh"))
    }

    @Test("REG-12: nothing is fetched before a contact key is set")
    func heldBack() {
        var state = linkedState
        state.centers.setEnabled(true)
        let policy = SyncPolicy(waitsForContactKey: true)
        let step = SyncPlan.next(for: state, in: situation { $0.isAwaited = true }, now: deviceEpoch, policy: policy)
        #expect(step == .idle(.waitingForContactKey))
    }
}
