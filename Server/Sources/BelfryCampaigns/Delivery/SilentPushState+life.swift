import BelfryModel
import BelfryServerModel
import Foundation

/// Reasons are asked for at any time. What waits goes with the next push, and that goes when the budget has room. What a
/// push carries stays until its end is known, so that a worker that dies loses nothing: whoever takes it over sends the
/// same push again (PUSH-7).
extension SilentPushState {
    /// The device is to fetch, or it is to be found out whether it is. A push that waits, or is under way, is not made
    /// earlier by it; a question is, since what is known needs no answer to it.
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

    /// What waits would leave although the budget has no room: then it waits until there is. A clock that was wrong may have
    /// made it due too early.
    ///
    /// A last push that lies ahead, by a clock that was ahead, holds nothing back: what is due has waited for that (REL-6).
    ///
    /// - Returns: whether it waits on.
    package mutating func holdBack(at now: Date) -> Bool {
        // One of the server's own that may have left already is repeated whenever it is due.
        guard campaign != nil || carried.isEmpty, let sentAt, sentAt <= now else { return false }
        let next = SilentPushBudget.nextDate(after: sentAt, now: now)
        // As it is stored: what is due is asked for by the millisecond, too.
        guard next.milliseconds > now.milliseconds else { return false }
        dueAt = next
        return true
    }

    /// A worker takes the server's own push up: what waits, or once more what is under way. What a campaign's push took
    /// along and did not deliver in time is part of it.
    ///
    /// - Parameter lease: from when on another worker may take it over.
    /// - Returns: whether the same push may have left before.
    package mutating func take(at now: Date, until lease: Date) -> Bool {
        if campaign != nil { release() }
        // Before its questions are answered, nothing leaves.
        let isRepeat = !carried.isEmpty && carried.changes.isEmpty
        if !isRepeat {
            waiting.formUnion(carried)
            carried = waiting
            waiting = []
        }
        if triedAt == nil {
            // The moment names it: a row that was removed and made anew repeats no name.
            number = max(number + 1, now.milliseconds)
            triedAt = now
        }
        // It counts from now on: should the worker die, nobody knows whether it left.
        if carried.changes.isEmpty { sentAt = now }
        dueAt = lease
        return isRepeat
    }

    /// The question that ``take(at:until:)`` took up is answered, before anything is sent.
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

    /// The end of the attempt that ``take(at:until:)`` began.
    ///
    /// - Parameter isRepeat: as it said.
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
            // It certainly did not arrive, so what has been asked for meanwhile may go with it.
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
    /// Now, and it takes these reasons of the server's own along.
    case now(along: SilentPushReasons)
    /// The budget is used up until then.
    case later(Date)
    /// Another push has woken the device since this one was due, and this one would say nothing more.
    case merged
}

/// How an attempt at a campaign's silent push ended.
package enum CampaignPushEnd: Hashable, Sendable {
    case accepted
    /// There was no response; it is repeated.
    case unanswered
    /// There was no response, and it is not repeated.
    case unansweredAtLast
    /// This attempt did not arrive, or there was none. If it is repeated, it needs another turn.
    case over
}

/// A campaign's push takes the device's turn, and with it what the server's own push would have said: one push serves
/// both. The other way round a push without custom keys is served by any other, since all that it does is to wake the
/// app (PUSH-7).
extension SilentPushState {
    /// A campaign's push would leave.
    ///
    /// - Parameters:
    ///   - dueSince: since when it has been due.
    ///   - merges: whether it has nothing of its own to say.
    package mutating func take(
        for id: CampaignID, dueSince: Date, merges: Bool, at now: Date
    ) -> CampaignPushTurn {
        guard campaign != id else { return repeated(at: now) }
        if merges, let acceptedSince, acceptedSince > dueSince { return .merged }
        let next = SilentPushBudget.nextDate(after: sentAt, now: now)
        guard next <= now else {
            // What is under way may spare this one.
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

    /// The same push once more: after a lost response, or after the death of the worker that had it.
    private mutating func repeated(at now: Date) -> CampaignPushTurn {
        attempts += 1
        sentAt = now
        keepDue(now: now)
        return .now(along: carried)
    }

    /// The end of the attempt that ``take(for:dueSince:merges:at:)`` began. Whoever has taken the turn meanwhile keeps it.
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
            // What certainly did not arrive costs nothing.
            if attempts == 0 { sentAt = nil }
            release()
            keepDue(now: now)
        }
    }

    /// What is under way ends here, and what it carried waits again.
    private mutating func release() {
        waiting.formUnion(carried)
        (campaign, carried, triedAt, attempts) = (nil, [], nil, 0)
    }

    /// What waits, or went along, is not forgotten whatever becomes of the campaign.
    private mutating func keepDue(now: Date) {
        let owed = waiting.union(carried)
        dueAt = owed.isEmpty ? nil : nextDate(for: owed, now: now)
    }
}
