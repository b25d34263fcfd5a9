import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import Foundation

/// Messages that have their place in the app's own views (IAM-12). The views ask for them, and tell what is seen.
extension SyncEngine {
    /// - Returns: nil when there is nothing to show there.
    func inlineMessage(_ viewID: String) throws(InAppError) -> InlineMessage? {
        _ = try presentInAppState()
        do throws(BelfryError) {
            try wantInApp()
            return try findInline(viewID)
        } catch {
            throw InAppError(error)
        }
    }

    private func findInline(_ viewID: String) throws(BelfryError) -> InlineMessage? {
        let draft = try begun()
        let situation = try inAppSituation(of: draft)
        guard let candidate = draft.state.inApp.inline(viewID: viewID, at: environment.now(), in: situation),
            let stored = try storage.opened().store.inAppMessage(candidate.id)
        else { return nil }
        let message = message(stored, draft.state.inApp)
        let ticket = inApp.nextNumber()
        inApp.inlines[ticket] = InlineUses.Use(message: message, candidate: candidate)
        let surplus = inApp.inlines.surplus
        inApp.inlines.end(tickets: surplus)
        if !surplus.isEmpty { inlineEnds.send(surplus) }
        return InlineMessage(display: try display(of: message), ticket: ticket)
    }

    /// It is really to be seen. It counts once in a session.
    func inlineShown(_ ticket: Int) throws(BelfryError) {
        guard let use = inApp.inlines[ticket], !use.isShown else { return }
        let now = environment.now()
        var draft = try begun()
        draft.state.inApp.rebase(to: now)
        let situation = try inAppSituation(of: draft)
        guard draft.state.inApp.inlineObstacle(use.candidate, at: now, in: situation) == nil else {
            // Its last display was another view's, or its time has passed since it was asked for.
            try endInlines([ticket], in: &draft, now: now)
            return try commit(draft)
        }
        try count(use, in: &draft, now: now)
        try commit(draft)
        inApp.inlines[ticket]?.isShown = true
        if appState == .foreground { inApp.inlines[ticket]?.time.begin(at: now) }
        waker.wake()
    }

    private func count(_ use: InlineUses.Use, in draft: inout StateDraft, now: Date) throws(BelfryError) {
        guard draft.state.inApp.inlineShown(use.candidate, at: now) else { return }
        let said: [String: AttributeValue] = ["version": .number(Double(use.message.version))]
        try addEvent(.inAppViewed, of: use.name, said, to: &draft, now: now)
        draft.inApp.append(.tell(InAppDecisionReport(shown: use.message, at: now)))
    }

    /// A session begins: what stands in the app's views counts once more, and goes where its limit or its end is
    /// reached (IAM-8).
    func judgeInlines(in draft: inout StateDraft, now: Date, _ situation: InAppSituation) throws(BelfryError) {
        var ended: Set<Int> = []
        for ticket in inApp.inlines.shown {
            guard let use = inApp.inlines[ticket] else { continue }
            if draft.state.inApp.inlineObstacle(use.candidate, at: now, in: situation) != nil {
                ended.insert(ticket)
            } else {
                try count(use, in: &draft, now: now)
            }
        }
        try endInlines(ended, in: &draft, now: now)
    }

    /// They are not to be seen any more; the time for which they were is told with this step.
    func endInlines(_ tickets: Set<Int>, in draft: inout StateDraft, now: Date) throws(BelfryError) {
        for ticket in tickets.sorted() {
            guard let use = inApp.inlines[ticket], draft.endedInlines.insert(ticket).inserted, use.isShown else {
                continue
            }
            try addDismissal(of: use, .replaced, to: &draft, now: now)
        }
    }

    /// Its view is gone. The time for which it was to be seen is told once.
    func inlineClosed(_ ticket: Int, _ how: InAppDismissal = .replaced) throws(BelfryError) {
        guard let use = inApp.inlines[ticket] else { return }
        let now = environment.now()
        var draft = try begun()
        // Only the person's own no keeps it away for the session.
        if how != .replaced { draft.state.inApp.inlineClosed(use.message.id) }
        if use.isShown { try addDismissal(of: use, how, to: &draft, now: now) }
        try commit(draft)
        inApp.inlines[ticket] = nil
        inlineEnds.send([ticket])
        waker.wake()
    }

    /// Returns when it is not to be seen any more: it was recalled or closed, or its person has left. Also when the
    /// task is cancelled, or the client stops.
    func inlineEnded(_ ticket: Int) async {
        let ends = inlineEnds.listen()
        guard inApp.inlines[ticket] != nil else { return }
        for await tickets in ends where tickets.contains(ticket) {
            return
        }
    }

    /// What its page asks for.
    ///
    /// - Returns: whether the message is over: its view goes.
    func inlineBridge(_ command: InAppBridgeCommand, _ ticket: Int) throws(BelfryError) -> Bool {
        guard let use = inApp.inlines[ticket] else { return true }
        inApp.inlines[ticket]?.commands += 1
        if case .close(let closing) = command {
            // A link that leads away leaves the message in its place.
            guard closing != .button else { return false }
            try inlineClosed(ticket, InAppDismissal(closing))
            return true
        }
        guard use.commands < Self.maximumCommands,
            let tap = InAppTap(command, in: use.message)
        else { return false }
        let now = environment.now()
        var draft = try begun()
        try add(tap, on: use.name, to: &draft, now: now)
        try commit(draft)
        waker.wake()
        let isOver = tap.action?.type == .close
        if isOver { try inlineClosed(ticket, .button) }
        if let action = tap.action { hand(action, of: use.message, buttonID: tap.buttonID) }
        return isOver
    }

    private func addDismissal(
        of use: InlineUses.Use,
        _ how: InAppDismissal,
        to draft: inout StateDraft,
        now: Date
    ) throws(BelfryError) {
        let said: [String: AttributeValue] = [
            "seconds": .number(use.time.total(at: now)), "how": .string(how.rawValue),
        ]
        try addEvent(.inAppDismiss, of: use.name, said, to: &draft, now: now)
    }
}
