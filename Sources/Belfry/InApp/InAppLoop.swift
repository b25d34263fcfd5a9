import BelfryModel
import BelfryRules
import Foundation

/// The second loop, so that triggers do not wait for requests, however slow the network is (IAM-5).
enum InAppLoop {
    /// Runs the loop; it ends when its task is cancelled.
    static func run(on engine: isolated DeviceEngine) async {
        let triggers = engine.context.storage.triggers
        while !Task.isCancelled {
            let generation = triggers.signal.generation
            let until: Date
            do throws(BelfryError) {
                let events = triggers.take()
                until = try engine.step { step throws(BelfryError) in try pass(events, in: &step) }
            } catch {
                engine.reporter.failed(error)
                until = engine.environment.now().addingTimeInterval(60)
            }
            await engine.sleep(.inApp, until: until, past: generation)
        }
    }

    /// Evaluates the new events, and the passing of time.
    ///
    /// - Returns: the next time at which something is due.
    private static func pass(_ events: [TriggerEvent], in step: inout DeviceStep) throws(BelfryError) -> Date {
        guard step.state.privacy.rest == nil else { return .distantFuture }
        let policy = step.configuration.inApp.policy
        step.state.inApp.rebase(to: step.now)
        if step.process.inApp.presentation == nil, step.state.inApp.underWay != nil {
            // A failure of the storage prevented an earlier presentation.
            try InAppMachine.add(step.state.inApp.launched(), to: &step)
        }
        let situation = try InAppMachine.situation(in: &step)
        var decisions: [InAppDecision] = []
        if !events.isEmpty {
            decisions += step.state.inApp.happened(events, at: step.now, in: situation, policy: policy)
        }
        decisions += step.state.inApp.timePassed(at: step.now, in: situation, policy: policy)
        try InAppMachine.add(decisions, to: &step)
        try removeSpent(in: &step)
        let serverTime = step.now.addingTimeInterval(situation.clockOffset)
        if step.state.inApp.inlineBegan(after: step.process.inApp.inlinesOfferedUntil, by: serverTime, in: situation) {
            step.then(.offerInlines)
        }
        step.process.inApp.inlinesOfferedUntil = serverTime
        if !step.change.events.isEmpty { step.then(.wake) }
        return try nextTime(in: &step)
    }

    /// Removes messages that have reached their display limit or have ended (IAM-11).
    private static func removeSpent(in step: inout DeviceStep) throws(BelfryError) {
        let situation = try InAppMachine.situation(in: &step)
        let spent = step.state.inApp.spent(at: step.now, in: situation)
        guard !spent.isEmpty else { return }
        var cache = try InAppMachine.cache(in: &step)
        for (id, reason) in spent {
            guard let candidate = cache.candidate(id) else { continue }
            step.then(.tellInApp(InAppDecisionReport(removed: candidate, reason, at: step.now)))
        }
        // The device's clock may be ahead; the server still has messages that were removed too early.
        if spent.contains(where: { $0.reason == .expired }) { step.state.sync.inApp.forgetCursor() }
        let ids = spent.map(\.id)
        cache.remove(ids)
        step.setCache(cache)
        step.change.inApp.append(.remove(ids))
        try InlineMachine.end(step.process.inApp.inlines.inlineIDs(of: Set(ids)), in: &step)
        let rest = try InAppMachine.situation(in: &step)
        let policy = step.configuration.inApp.policy
        let decisions = step.state.inApp.messagesChanged(at: step.now, in: rest, policy: policy)
        try InAppMachine.add(decisions, to: &step)
    }

    private static func nextTime(in step: inout DeviceStep) throws(BelfryError) -> Date {
        let situation = try InAppMachine.situation(in: &step)
        let now = step.now
        let due = step.state.inApp.nextDue(after: now, in: situation, policy: step.configuration.inApp.policy)
        let start = step.state.inApp.nextInlineStart(after: now, in: situation)
        let ends = situation.candidates.compactMap { $0.endsAt?.addingTimeInterval(-situation.clockOffset) }
        return ([due, start].compactMap { $0 } + ends).filter { $0 > now }.min() ?? .distantFuture
    }
}
