import BelfryModel
import BelfryServerModel
import Foundation

/// The life of a device's silent pushes. Reasons can be added at any time. Waiting reasons go with the next push, which
/// is sent when the budget has room. The reasons that a push carries are kept until its end is known. So nothing is
/// lost if a worker dies: the next worker sends the same push again (PUSH-7).
extension SilentPushState {
    /// Adds reasons to fetch, or a question whether the device has to. This does not make a waiting push, or one in
    /// progress, earlier. It does make a waiting question earlier, because known reasons need no answer to it.
    package mutating func request(_ reasons: SilentPushReasons, at now: Date) {
        let next = nextDate(for: reasons, now: now)
        let isQuestion = dueAt != nil && carried.isEmpty && waiting.said.isEmpty
        dueAt = isQuestion && !reasons.said.isEmpty ? min(dueAt ?? next, next) : dueAt ?? next
        waiting.formUnion(reasons)
    }

    private func nextDate(for reasons: SilentPushReasons, now: Date) -> Date {
        reasons.said.isEmpty
            ? SilentPushBudget.nextLook(after: lookedAt, sentAt: sentAt, now: now)
            : SilentPushBudget.nextDate(after: sentAt, now: now)
    }

    /// Makes a due push wait if the budget has no room. A wrong clock may have made it due too early.
    ///
    /// A last push in the future, by a clock that was ahead, does not delay anything: a due push has already waited for
    /// that (REL-6).
    ///
    /// - Returns: whether the push has to wait.
    package mutating func holdBack(at now: Date) -> Bool {
        // The server's own push that may already have been sent is repeated whenever it is due.
        guard campaign != nil || carried.isEmpty, let sentAt, sentAt <= now else { return false }
        let next = SilentPushBudget.nextDate(after: sentAt, now: now)
        // Compared in milliseconds, as dates are stored, because due pushes are selected by milliseconds, too.
        guard next.milliseconds > now.milliseconds else { return false }
        dueAt = next
        return true
    }

    /// A worker takes up the server's own push: the waiting reasons, or again those of the push in progress. This
    /// includes reasons that a campaign's push took along and did not deliver in time.
    ///
    /// - Parameter lease: when another worker may take it over.
    /// - Returns: whether the same push may have been sent before.
    package mutating func take(at now: Date, until lease: Date) -> Bool {
        if campaign != nil { release() }
        // Nothing is sent before its questions are answered.
        let isRepeat = !carried.isEmpty && carried.changes.isEmpty
        if !isRepeat {
            waiting.formUnion(carried)
            carried = waiting
            waiting = []
        }
        if triedAt == nil {
            // The number is at least the present time, so a row that was removed and created again does not repeat a
            // number.
            number = max(number + 1, now.milliseconds)
            triedAt = now
        }
        // The push counts as sent from now on: if the worker dies, nobody knows whether it was sent.
        if carried.changes.isEmpty { sentAt = now }
        dueAt = lease
        return isRepeat
    }

    /// Answers the question that ``take(at:until:)`` took up, before anything is sent.
    ///
    /// - Returns: whether there is something to send.
    package mutating func answer(hasEntered: Bool, at now: Date) -> Bool {
        carried = hasEntered ? carried.said.union(.inApp) : carried.said
        lookedAt = now
        guard carried.isEmpty else {
            sentAt = now
            return true
        }
        finish(now: now)
        return false
    }

    /// Ends the attempt that ``take(at:until:)`` began.
    ///
    /// - Parameter isRepeat: the result of ``take(at:until:)``.
    package mutating func settle(_ end: SilentPushEnd, isRepeat: Bool, at now: Date) {
        switch end {
        case .accepted:
            acceptedSince = sentAt
            sentAt = now
            finish(now: now)
        case .dropped(_, let mayHaveArrived):
            sentAt = mayHaveArrived || isRepeat ? now : nil
            finish(now: now)
        case .again(let date, let mayHaveArrived):
            attempts += 1
            dueAt = date
            guard !mayHaveArrived, !isRepeat else {
                sentAt = now
                return
            }
            // The push certainly did not arrive, so reasons that were added meanwhile may go with it.
            waiting.formUnion(carried)
            carried = []
            sentAt = nil
        }
    }

    private mutating func finish(now: Date) {
        carried = []
        attempts = 0
        triedAt = nil
        dueAt = waiting.isEmpty ? nil : nextDate(for: waiting, now: now)
    }
}

/// Whether a campaign's silent push may leave for a device.
package enum CampaignPushTurn: Hashable, Sendable {
    /// It may be sent now, and takes these reasons of the server's own along.
    case now(along: SilentPushReasons)
    /// The budget is used up until this time.
    case later(Date)
    /// Another push has woken the device since this one was due, and this one has no content of its own.
    case merged
}

/// How an attempt at a campaign's silent push ended.
package enum CampaignPushEnd: Hashable, Sendable {
    case accepted
    /// There was no response; it is repeated.
    case unanswered
    /// There was no response, and it is not repeated.
    case unansweredAtLast
    /// This attempt did not arrive, or there was none. A repetition needs another turn.
    case over
}

/// A campaign's push uses the device's turn, and carries the reasons of the server's own push: one push serves both.
/// Conversely, any push can replace a campaign's push without custom keys, which only wakes the app (PUSH-7).
extension SilentPushState {
    /// Decides whether a campaign's push may be sent now.
    ///
    /// - Parameters:
    ///   - dueSince: since when the push has been due.
    ///   - merges: whether the push has no content of its own.
    package mutating func take(
        for id: CampaignID, dueSince: Date, merges: Bool, at now: Date
    ) -> CampaignPushTurn {
        guard campaign != id else { return repeated(at: now) }
        if merges, let acceptedSince, acceptedSince > dueSince { return .merged }
        let next = SilentPushBudget.nextDate(after: sentAt, now: now)
        guard next <= now else {
            // The push in progress may make this one unnecessary.
            let isUnderWay = campaign != nil || !carried.isEmpty
            return .later(merges && isUnderWay ? min(next, now.addingTimeInterval(SilentPushBudget.recheck)) : next)
        }
        release()
        carried = waiting.saidAlong
        waiting.subtract(carried)
        (campaign, sentAt, triedAt, attempts) = (id, now, nil, 0)
        keepDue(now: now)
        return .now(along: carried)
    }

    /// The same push again: after a lost response, or after the death of the worker that had it.
    private mutating func repeated(at now: Date) -> CampaignPushTurn {
        attempts += 1
        sentAt = now
        keepDue(now: now)
        return .now(along: carried)
    }

    /// Ends the attempt that ``take(for:dueSince:merges:at:)`` began. Does nothing if another campaign has taken the
    /// turn meanwhile.
    package mutating func settle(_ end: CampaignPushEnd, of id: CampaignID, at now: Date) {
        guard campaign == id else { return }
        switch end {
        case .accepted:
            acceptedSince = sentAt
            sentAt = now
            (campaign, carried, attempts) = (nil, [], 0)
            keepDue(now: now)
        case .unanswered:
            attempts += 1
            sentAt = now
        case .unansweredAtLast:
            sentAt = now
            release()
            keepDue(now: now)
        case .over:
            // A push that certainly did not arrive does not count against the budget.
            if attempts == 0 { sentAt = nil }
            release()
            keepDue(now: now)
        }
    }

    /// Ends the push in progress. The reasons that it carried wait again.
    private mutating func release() {
        waiting.formUnion(carried)
        (campaign, carried, triedAt, attempts) = (nil, [], nil, 0)
    }

    /// Keeps a due date for the waiting and carried reasons, whatever happens to the campaign.
    private mutating func keepDue(now: Date) {
        let owed = waiting.union(carried)
        dueAt = owed.isEmpty ? nil : nextDate(for: owed, now: now)
    }
}
