import BelfryModel
import BelfryServerModel
import Foundation

/// Reasons are asked for at any time. What waits goes with the next push, and that goes when the budget has room. What a
/// push carries stays until its end is known, so that a worker that dies loses nothing: whoever takes it over sends the
/// same push again (PUSH-7).
extension SilentPushState {
    /// The device is to fetch.
    package mutating func request(_ reasons: SilentPushReasons, at now: Date) {
        waiting.formUnion(reasons)
        if dueAt == nil { dueAt = SilentPushBudget.nextDate(after: sentAt, now: now) }
    }

    /// A worker takes the push up: what waits, or once more what is under way.
    ///
    /// - Parameter lease: from when on another worker may take it over.
    /// - Returns: whether the same push may have left before.
    package mutating func take(at now: Date, until lease: Date) -> Bool {
        let isRepeat = !carried.isEmpty
        if !isRepeat {
            carried = waiting
            waiting = []
        }
        if triedAt == nil {
            // The moment names it: a row that was removed and made anew repeats no name.
            number = max(number + 1, now.milliseconds)
            triedAt = now
        }
        // It counts from now on: should the worker die, nobody knows whether it left.
        sentAt = now
        dueAt = lease
        return isRepeat
    }

    /// The end of the attempt that ``take(at:until:)`` began.
    ///
    /// - Parameter isRepeat: as it said.
    package mutating func settle(_ end: SilentPushEnd, isRepeat: Bool, at now: Date) {
        switch end {
        case .accepted:
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
        dueAt = waiting.isEmpty ? nil : SilentPushBudget.nextDate(after: sentAt, now: now)
    }
}
