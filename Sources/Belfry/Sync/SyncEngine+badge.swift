import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// The number on the app's icon, agreed on with the server (BADGE-1 to BADGE-5).
extension SyncEngine {
    var badge: Badge {
        get throws(BelfryError) { try state().sync.badge.badge }
    }

    /// The server first: on any error the number stays as it is (BADGE-2). 0 takes away the pushes that the system still
    /// shows, too (BADGE-3).
    func setBadge(_ count: Int) async throws(MessageCenterError) {
        guard configuration.badgesEnabled else {
            throw MessageCenterError(.invalidBadge, "Badges are off by the configuration.")
        }
        guard count >= 0 else { throw MessageCenterError(.invalidBadge, "A badge is 0 or more; this is \(count).") }
        _ = try await ask(.setBadge(count))
        await showBadge()
        if count == 0 { await platform.deliveredPushes?.removeAll() }
    }

    /// Shows what the badge is by the time that its turn comes, and returns when that is done.
    func showBadge() async {
        guard let display = platform.badge else { return }
        badgeWork.add { [weak self] in
            guard let count = await self?.badgeToShow() else { return }
            await display.showBadge(count)
        }
        await badgeWork.finished()
    }

    /// - Returns: nil when the icon shows it already.
    private func badgeToShow() -> Int? {
        guard let count = try? state().sync.badge.badge.count, count != shownBadge else { return nil }
        shownBadge = count
        return count
    }

    /// - Parameter generation: as it was when the call began.
    func badgeAnswered(
        _ generation: Int,
        isReset: Bool,
        awaited number: Int?,
        _ answer: DeviceAnswer,
        draft: inout StateDraft,
        now: Date
    ) {
        let (value, read) = answer.reading(Badge.self, now: now)
        noticeToken(read.outcome, draft: &draft, now: now)
        guard generation == draft.state.sync.badge.generation else {
            // It is about a person who has left. That the server is asked again stays stored (ID-4).
            let left = MessageCenterError(.noContact, "Another person uses the device by now.")
            draft.answer = number.map { ($0, .failure(left)) }
            return
        }
        guard let value else { return badgeFailed(read.outcome, awaited: number, draft: &draft, now: now) }
        draft.state.sync.badge.answered(value)
        if isReset { draft.state.sync.badge.toldReset(generation: generation) }
        draft.answer = number.map { ($0, .success(.badge(draft.state.sync.badge.badge))) }
    }

    private func badgeFailed(_ outcome: CallOutcome, awaited number: Int?, draft: inout StateDraft, now: Date) {
        draft.state.sync.badge.failed(
            outcome,
            wasOwn: number == nil,
            now: now,
            random: environment.jitter(),
            policy: configuration.syncPolicy.calls
        )
        // After a 401 it is told again by a renewed token.
        if case .unauthorized = outcome { return }
        guard let number, let failure = outcome.failure else { return }
        draft.answer = (number, .failure(MessageCenterError(failure)))
    }
}
