import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import Foundation

/// Messages that have their place in the app's own views (IAM-12). The views ask for them, and tell what is seen.
enum InlineMachine {
    /// - Returns: nil when there is nothing to show there.
    static func find(_ viewID: String, in step: inout DeviceStep) throws(BelfryError) -> InlineMessage? {
        let situation = try InAppMachine.situation(in: &step)
        guard let candidate = step.state.inApp.inline(viewID: viewID, at: step.now, in: situation),
            let message = try InAppMachine.message(candidate.id, in: step)
        else { return nil }
        let ticket = step.process.inApp.nextNumber()
        step.process.inApp.inlines[ticket] = InlineUses.Use(message: message, candidate: candidate)
        let surplus = step.process.inApp.inlines.surplus
        step.process.inApp.inlines.end(tickets: surplus)
        if !surplus.isEmpty { step.then(.endInlines(surplus)) }
        return InlineMessage(display: InAppDisplay(of: message, in: step), ticket: ticket)
    }

    /// It is really to be seen. It counts once in a session.
    static func shown(_ ticket: Int, in step: inout DeviceStep) throws(BelfryError) {
        guard let use = step.process.inApp.inlines[ticket], !use.isShown else { return }
        step.state.inApp.rebase(to: step.now)
        let situation = try InAppMachine.situation(in: &step)
        guard step.state.inApp.inlineObstacle(use.candidate, at: step.now, in: situation) == nil else {
            // Its last display was another view's, or its time has passed since it was asked for.
            return try end([ticket], in: &step)
        }
        try count(use, in: &step)
        step.process.inApp.inlines[ticket]?.isShown = true
        let now = step.now
        if step.process.appState == .foreground { step.process.inApp.inlines[ticket]?.time.begin(at: now) }
        step.then(.wake)
    }

    private static func count(_ use: InlineUses.Use, in step: inout DeviceStep) throws(BelfryError) {
        guard step.state.inApp.inlineShown(use.candidate, at: step.now) else { return }
        let said: [String: AttributeValue] = ["version": .number(Double(use.message.version))]
        try InAppMachine.addEvent(.inAppViewed, of: use.name, said, to: &step)
        step.then(.tellInApp(InAppDecisionReport(shown: use.message, at: step.now)))
    }

    /// A session begins: what stands in the app's views counts once more, and goes where its limit or its end is
    /// reached (IAM-8).
    static func judge(in step: inout DeviceStep, _ situation: InAppSituation) throws(BelfryError) {
        var ended: Set<Int> = []
        for ticket in step.process.inApp.inlines.shown {
            guard let use = step.process.inApp.inlines[ticket] else { continue }
            if step.state.inApp.inlineObstacle(use.candidate, at: step.now, in: situation) != nil {
                ended.insert(ticket)
            } else {
                try count(use, in: &step)
            }
        }
        try end(ended, in: &step)
    }

    /// They are not to be seen any more; the time for which they were is told with this step.
    static func end(_ tickets: Set<Int>, in step: inout DeviceStep) throws(BelfryError) {
        for ticket in tickets.sorted() {
            guard let use = step.process.inApp.inlines[ticket], use.isShown else { continue }
            try InAppMachine.addDismissal(use.time, of: use.name, .replaced, to: &step)
        }
        guard !tickets.isEmpty else { return }
        step.process.inApp.inlines.end(tickets: tickets)
        step.then(.endInlines(tickets))
    }

    /// Its view is gone. The time for which it was to be seen is told once.
    static func closed(
        _ ticket: Int,
        _ how: InAppDismissal = .replaced,
        in step: inout DeviceStep
    ) throws(BelfryError) {
        guard let use = step.process.inApp.inlines[ticket] else { return }
        // Only the person's own no keeps it away for the session.
        if how != .replaced { step.state.inApp.inlineClosed(use.message.id) }
        if use.isShown { try InAppMachine.addDismissal(use.time, of: use.name, how, to: &step) }
        step.process.inApp.inlines[ticket] = nil
        step.then(.endInlines([ticket]))
        step.then(.wake)
    }

    /// What its page asks for.
    ///
    /// - Returns: whether the message is over: its view goes.
    static func said(
        _ command: InAppBridgeCommand,
        _ ticket: Int,
        in step: inout DeviceStep
    ) throws(BelfryError) -> Bool {
        guard let use = step.process.inApp.inlines[ticket] else { return true }
        step.process.inApp.inlines[ticket]?.commands += 1
        if case .close(let closing) = command {
            // A link that leads away leaves the message in its place.
            guard closing != .button else { return false }
            try closed(ticket, InAppDismissal(closing), in: &step)
            return true
        }
        guard use.commands < InAppTap.maximumCommands, let tap = InAppTap(command, in: use.message) else {
            return false
        }
        try InAppMachine.add(tap, on: use.name, to: &step)
        step.then(.wake)
        let isOver = tap.action?.type == .close
        if isOver { try closed(ticket, .button, in: &step) }
        if let action = tap.action { step.then(.runAction(action, of: use.message, buttonID: tap.buttonID)) }
        return isOver
    }
}
