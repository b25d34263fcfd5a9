import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import Foundation

/// What a page asks for, and what the person does in it (IAM-9, IAM-12).
extension SyncEngine {
    /// Commands of one page that are obeyed; whoever says more is no person.
    static let maximumCommands = 200

    /// - Returns: whether the message has left the screen.
    func obey(_ command: InAppBridgeCommand, _ number: Int) -> Bool {
        guard let showing = inApp.showing, showing.number == number else { return true }
        inApp.showing?.commands += 1
        if case .close(let closing) = command {
            leave(number, InAppDismissal(closing))
            return true
        }
        guard showing.commands < Self.maximumCommands else { return false }
        guard let tap = InAppTap(command, in: showing.message) else { return false }
        do throws(BelfryError) {
            let now = environment.now()
            var draft = try begun()
            try add(tap, on: showing.ticket.name, to: &draft, now: now)
            if tap.closes {
                _ = draft.state.inApp.closed(showing.ticket, at: now)
                try addDismissal(of: showing, .button, to: &draft, now: now)
            }
            try commit(draft)
            waker.wake()
        } catch {
            reporter.failed(error)
        }
        // The person sees that it was heard, even if it could not be stored.
        if tap.closes { endShowing(.onScreen, .button) }
        if let action = tap.action { hand(action, of: showing.message, buttonID: tap.buttonID) }
        return tap.closes
    }

    /// The message leaves the screen.
    func leave(_ number: Int, _ how: InAppDismissal) {
        guard let showing = inApp.showing, showing.number == number else { return }
        do throws(BelfryError) {
            let now = environment.now()
            var draft = try begun()
            _ = draft.state.inApp.closed(showing.ticket, at: now)
            try addDismissal(of: showing, how, to: &draft, now: now)
            try commit(draft)
            waker.wake()
        } catch {
            reporter.failed(error)
        }
        endShowing(.onScreen, how)
    }

    /// The click, and the event that it asks for, in the transaction of the step.
    func add(_ tap: InAppTap, on message: InAppName, to draft: inout StateDraft, now: Date) throws(BelfryError) {
        if tap.isClick {
            let said: [String: AttributeValue] = tap.buttonID.map { ["buttonId": .string($0)] } ?? [:]
            try addEvent(.inAppClick, of: message, said, to: &draft, now: now)
        }
        if let action = tap.action { try add(action, to: &draft, now: now) }
    }
}

extension InAppDismissal {
    init(_ closing: InAppBridgeCommand.Closing) {
        switch closing {
        case .button: self = .button
        case .close: self = .close
        case .swipe: self = .swipe
        }
    }
}
