import BelfryModel
import BelfryRules
import Foundation

/// The second loop: triggers wait for no request, however slow the network is (IAM-5).
extension SyncEngine {
    /// It ends when its task is cancelled.
    func runInApp() async {
        let waker = storage.triggers.waker
        while !Task.isCancelled {
            let generation = waker.generation
            let until: Date
            do throws(BelfryError) {
                until = try inAppPass()
            } catch {
                reporter.failed(error)
                until = environment.now().addingTimeInterval(60)
            }
            inApp.nap = (until, generation)
            settle()
            await withTaskGroup(of: Void.self) { group in
                if until < .distantFuture { group.addTask { [environment] in await environment.sleep(until) } }
                group.addTask { await waker.wait(past: generation) }
                _ = await group.next()
                group.cancelAll()
            }
            inApp.nap = nil
        }
    }

    /// Judges what has happened, and what time has brought.
    ///
    /// - Returns: when time brings something next.
    private func inAppPass() throws(BelfryError) -> Date {
        let events = storage.triggers.take()
        guard try state().privacy.rest == nil else { return .distantFuture }
        let now = environment.now()
        let policy = configuration.inApp.policy
        var draft = try begun()
        draft.state.inApp.rebase(to: now)
        if inApp.showing == nil, draft.state.inApp.underWay != nil {
            // A failure of the storage stood in its way.
            try add(draft.state.inApp.launched(), to: &draft, now: now)
        }
        let situation = try inAppSituation(of: draft)
        var decisions: [InAppDecision] = []
        if !events.isEmpty {
            decisions += draft.state.inApp.happened(events, at: now, in: situation, policy: policy)
        }
        decisions += draft.state.inApp.timePassed(at: now, in: situation, policy: policy)
        try add(decisions, to: &draft, now: now)
        try removeSpent(from: &draft, now: now)
        let serverTime = now.addingTimeInterval(situation.clockOffset)
        if draft.state.inApp.inlineBegan(after: inApp.inlinesToldUntil, by: serverTime, in: situation) {
            draft.offersInlines = true
        }
        let isNews = !draft.change.events.isEmpty
        try commit(draft)
        inApp.inlinesToldUntil = serverTime
        if isNews { waker.wake() }
        return try nextInAppTime(after: now)
    }

    /// What was shown as often as it may be, or has ended, leaves the device (IAM-11).
    private func removeSpent(from draft: inout StateDraft, now: Date) throws(BelfryError) {
        let situation = try inAppSituation(of: draft)
        let spent = draft.state.inApp.spent(at: now, in: situation)
        guard !spent.isEmpty else { return }
        var shelf = try shelf(of: draft)
        for (id, reason) in spent {
            guard let candidate = shelf.candidate(id) else { continue }
            draft.inApp.append(.tell(InAppDecisionReport(removed: candidate, reason, at: now)))
        }
        // The device's clock may be ahead; the server has what it took away too early.
        if spent.contains(where: { $0.reason == .expired }) { draft.state.sync.inApp.forgetCursor() }
        shelf.remove(spent.map(\.id))
        draft.shelf = shelf
        draft.change.inApp.append(.remove(spent.map(\.id)))
        try endInlines(inApp.inlines.tickets(of: Set(spent.map(\.id))), in: &draft, now: now)
        let rest = try inAppSituation(of: draft)
        let policy = configuration.inApp.policy
        try add(draft.state.inApp.messagesChanged(at: now, in: rest, policy: policy), to: &draft, now: now)
    }

    private func nextInAppTime(after now: Date) throws(BelfryError) -> Date {
        let draft = try begun()
        let situation = try inAppSituation(of: draft)
        let due = draft.state.inApp.nextDue(after: now, in: situation, policy: configuration.inApp.policy)
        let start = draft.state.inApp.nextInlineStart(after: now, in: situation)
        let ends = situation.candidates.compactMap { $0.endsAt?.addingTimeInterval(-situation.clockOffset) }
        return ([due, start].compactMap { $0 } + ends).filter { $0 > now }.min() ?? .distantFuture
    }

    /// Whether the loop has nothing to do at the moment.
    var isInAppAsleep: Bool {
        guard let nap = inApp.nap else { return false }
        return nap.generation == storage.triggers.waker.generation && nap.until > environment.now()
    }

    /// A message is on its way to the screen: the app is asked, or the page is loaded.
    var isInAppMoving: Bool {
        guard let showing = inApp.showing else { return false }
        return showing.step != .onScreen
    }
}

extension InAppDecisionReport {
    /// The message has left the device.
    init(removed message: InAppCandidate, _ reason: InAppReason, at date: Date) {
        self.init(
            messageID: message.id, campaignID: message.campaignID, version: message.version, at: date,
            outcome: .removed, reason: reason
        )
    }
}
