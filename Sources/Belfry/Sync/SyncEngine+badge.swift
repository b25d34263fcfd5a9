import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// The number on the app's icon, agreed on with the server (BADGE-1 to BADGE-5).
extension SyncEngine {
    var badge: Badge {
        get throws(BelfryError) { try state().sync.badge.badge }
    }

    /// The server first: on any error the number stays as it is (BADGE-2). 0 takes away all of the app's notifications
    /// that the system still shows, too (BADGE-3).
    func setBadge(_ count: Int) async throws(MessageCenterError) {
        guard configuration.badgesEnabled else {
            throw MessageCenterError(.invalidBadge, "Badges are off by the configuration.")
        }
        guard count >= 0 else { throw MessageCenterError(.invalidBadge, "A badge is 0 or more; this is \(count).") }
        _ = try await ask(.setBadge(count))
        await showBadge()
        if count == 0 { await platform.deliveredPushes?.removeAll() }
    }

    /// A push that the system has shown by itself has put its badge on the icon, and nobody told the app. So those that
    /// stand in the system's list tell theirs, but for a former person's (ID-4).
    func takeDeliveredBadges() async throws(BelfryError) {
        guard configuration.badgesEnabled else { return }
        // A system without a list has none that stand in it.
        let pushes = await platform.deliveredPushes?.pushes() ?? []
        var draft = try begun()
        let former = draft.state.sync.badge
        let filter = draft.state.pushFilter
        let meant = pushes.filter { filter.dropReason(of: $0) == nil }.map(\.payload)
        let badges = meant.compactMap { push in push.badge.map { (push.sid, $0) } }
        draft.state.sync.badge.told(listed: Dictionary(badges) { $0.revision < $1.revision ? $1 : $0 })
        guard draft.state.sync.badge != former else { return }
        try commit(draft)
    }

    /// Shows what the badge is by the time that its turn comes, and returns when that is done. What the display does not
    /// take, or a kill prevents, is shown at the next chance.
    func showBadge() async {
        guard let display = platform.badge else { return }
        badgeWork.add { [weak self] in
            guard let badge = await self?.badgeToShow(), await display.showBadge(badge.count) else { return }
            await self?.badgeShown(badge)
        }
        await badgeWork.finished()
    }

    /// - Returns: nil when the icon was given it already.
    private func badgeToShow() -> Badge? {
        guard let badge = try? state().sync.badge, badge.isUnshown else { return nil }
        return badge.badge
    }

    private func badgeShown(_ badge: Badge) {
        do throws(BelfryError) {
            var draft = try begun()
            draft.state.sync.badge.shown(badge)
            try commit(draft)
        } catch {
            // Shown once more is no harm; whoever stores next hears of the fault.
        }
    }

    /// Takes the number off the icon, in its turn, whatever the badge is.
    func clearBadge() async {
        guard let display = platform.badge else { return }
        badgeWork.add { await display.showBadge(0) }
        await badgeWork.finished()
    }

    /// - Parameter number: of the one who waits; nil for the engine's own call.
    func badgeCall(
        _ kind: BadgeCall.Kind,
        count: Int = 0,
        awaited number: Int? = nil,
        draft: inout StateDraft,
        requests: DeviceRequests
    ) throws(BelfryError) -> DeviceCall {
        let badge = draft.state.sync.badge
        let call = BadgeCall(
            kind: kind, generation: badge.generation, revision: badge.badge.revision,
            wasUncertain: badge.isUncertain, awaited: number
        )
        guard kind != .fetch else { return DeviceCall(purpose: .badge(call), request: requests.badge()) }
        draft.state.sync.badge.attempted()
        let request = try requests.putBadge(count, revision: badge.badge.revision)
        return DeviceCall(purpose: .badge(call), request: request)
    }

    func badgeAnswered(_ call: BadgeCall, _ answer: DeviceAnswer, draft: inout StateDraft, now: Date) {
        let (value, read) = answer.reading(Badge.self, now: now)
        noticeToken(read.outcome, draft: &draft, now: now)
        guard call.generation == draft.state.sync.badge.generation else {
            // It is about a person who has left. That the server is asked again stays stored (ID-4).
            let left = MessageCenterError(.noContact, "Another person uses the device by now.")
            return draft.answer(call.awaited, .failure(left))
        }
        guard let value else { return badgeFailed(read.outcome, call, draft: &draft, now: now) }
        // A reset that was taken for the repetition of an earlier one is told once more.
        let isTold = call.kind == .set || (call.kind == .reset && (value.count == 0 || !call.wasUncertain))
        if isTold { draft.state.sync.badge.toldReset(generation: call.generation) }
        draft.state.sync.badge.answered(value, askedAt: call.revision)
        guard call.kind == .set else { return }
        draft.state.sync.badge.toBeShown()
        draft.answer(call.awaited, .success(.badge(draft.state.sync.badge.badge)))
    }

    private func badgeFailed(_ outcome: CallOutcome, _ call: BadgeCall, draft: inout StateDraft, now: Date) {
        draft.state.sync.badge.failed(
            outcome,
            wasOwn: call.awaited == nil,
            now: now,
            random: environment.jitter(),
            policy: configuration.syncPolicy.calls
        )
        // After a 401 it is told again by a renewed token.
        if case .unauthorized = outcome { return }
        guard let failure = outcome.failure else { return }
        draft.answer(call.awaited, .failure(MessageCenterError(failure)))
    }
}
