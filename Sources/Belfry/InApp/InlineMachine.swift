import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import Foundation

/// Inline messages (IAM-12). The app's views request them, and report when they are visible.
enum InlineMachine {
    /// - Returns: nil when there is no message for the view.
    static func find(_ viewID: String, in step: inout DeviceStep) throws(BelfryError) -> InlineMessage? {
        let situation = try InAppMachine.situation(in: &step)
        guard let candidate = step.state.inApp.inline(viewID: viewID, at: step.now, in: situation),
            let message = try InAppMachine.message(candidate.id, in: step)
        else { return nil }
        let inlineID = step.process.inApp.nextNumber()
        step.process.inApp.inlines[inlineID] = InlineUses.Use(message: message, candidate: candidate)
        let surplus = step.process.inApp.inlines.surplus
        step.process.inApp.inlines.end(inlineIDs: surplus)
        if !surplus.isEmpty { step.then(.endInlines(surplus)) }
        return InlineMessage(display: InAppDisplay(of: message, in: step), inlineID: inlineID)
    }

    /// The message is visible. It counts once in a session.
    static func shown(_ inlineID: Int, in step: inout DeviceStep) throws(BelfryError) {
        guard let use = step.process.inApp.inlines[inlineID], !use.isShown else { return }
        step.state.inApp.rebase(to: step.now)
        let situation = try InAppMachine.situation(in: &step)
        guard step.state.inApp.inlineObstacle(use.candidate, at: step.now, in: situation) == nil else {
            // Another view has used the last display, or the message's time has passed since it was requested.
            return try end([inlineID], in: &step)
        }
        try count(use, in: &step)
        step.process.inApp.inlines[inlineID]?.isShown = true
        let now = step.now
        if step.process.appState == .foreground { step.process.inApp.inlines[inlineID]?.time.begin(at: now) }
        step.then(.wake)
    }

    private static func count(_ use: InlineUses.Use, in step: inout DeviceStep) throws(BelfryError) {
        guard step.state.inApp.inlineShown(use.candidate, at: step.now) else { return }
        let said: [String: AttributeValue] = ["version": .number(Double(use.message.version))]
        try InAppMachine.addEvent(.inAppViewed, of: use.name, said, to: &step)
        step.then(.tellInApp(InAppDecisionReport(shown: use.message, at: step.now)))
    }

    /// At the beginning of a session visible inline messages count once more, and end if they have reached their limit
    /// or their end (IAM-8).
    static func judge(in step: inout DeviceStep, _ situation: InAppSituation) throws(BelfryError) {
        var ended: Set<Int> = []
        for inlineID in step.process.inApp.inlines.shown {
            guard let use = step.process.inApp.inlines[inlineID] else { continue }
            if step.state.inApp.inlineObstacle(use.candidate, at: step.now, in: situation) != nil {
                ended.insert(inlineID)
            } else {
                try count(use, in: &step)
            }
        }
        try end(ended, in: &step)
    }

    /// Ends messages; the time for which they were visible is reported with this step.
    static func end(_ inlineIDs: Set<Int>, in step: inout DeviceStep) throws(BelfryError) {
        for inlineID in inlineIDs.sorted() {
            guard let use = step.process.inApp.inlines[inlineID], use.isShown else { continue }
            try InAppMachine.addDismissal(use.time, of: use.name, .replaced, to: &step)
        }
        guard !inlineIDs.isEmpty else { return }
        step.process.inApp.inlines.end(inlineIDs: inlineIDs)
        step.then(.endInlines(inlineIDs))
    }

    /// The view is gone. The time for which the message was visible is reported once.
    static func closed(
        _ inlineID: Int,
        _ how: InAppDismissal = .replaced,
        in step: inout DeviceStep
    ) throws(BelfryError) {
        guard let use = step.process.inApp.inlines[inlineID] else { return }
        // A message that the person closed is not shown again in the session; one that was replaced may be.
        if how != .replaced { step.state.inApp.inlineClosed(use.message.id) }
        if use.isShown { try InAppMachine.addDismissal(use.time, of: use.name, how, to: &step) }
        step.process.inApp.inlines[inlineID] = nil
        step.then(.endInlines([inlineID]))
        step.then(.wake)
    }

    /// Carries out a command of the page.
    ///
    /// - Returns: whether the message has ended, so that its view removes it.
    static func said(
        _ command: InAppBridgeCommand,
        _ inlineID: Int,
        in step: inout DeviceStep
    ) throws(BelfryError) -> Bool {
        guard let use = step.process.inApp.inlines[inlineID] else { return true }
        step.process.inApp.inlines[inlineID]?.commands += 1
        if case .close(let closing) = command {
            // After a link the message stays in its view.
            guard closing != .button else { return false }
            try closed(inlineID, InAppDismissal(closing), in: &step)
            return true
        }
        guard use.commands < InAppTap.maximumCommands, let tap = InAppTap(command, in: use.message) else {
            return false
        }
        try InAppMachine.add(tap, on: use.name, to: &step)
        step.then(.wake)
        let isOver = tap.action?.type == .close
        if isOver { try closed(inlineID, .button, in: &step) }
        if let action = tap.action { step.then(.runAction(action, of: use.message, buttonID: tap.buttonID)) }
        return isOver
    }
}
