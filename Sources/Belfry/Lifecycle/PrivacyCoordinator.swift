import BelfryModel
import BelfryRules
import Foundation

/// Tracking and wiping (REG-36).
struct PrivacyCoordinator: Sendable {
    let engine: DeviceEngine

    /// Switching tracking off deletes the session and the queue, in the transaction that stores the choice. Switching
    /// it on begins a session if the app is shown.
    func setTracking(_ isEnabled: Bool) async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in
            guard step.state.privacy.isTracking != isEnabled else { return }
            step.state.privacy.setTracking(isEnabled)
            if !isEnabled {
                step.state.session = SessionRules()
                step.state.display = MessageViewSession()
                step.change.purge = .events
                step.change.scrubs = true
            } else if step.process.appState == .foreground, step.state.privacy.rest == nil {
                try LifecycleCoordinator.openSession(in: &step)
            }
            step.then(.wake)
        }
    }

    /// Deletes everything at the app's request.
    func wipe() async throws(BelfryError) {
        // First, as at a logout: a kill in between must not leave the person's pushes on the screen.
        await engine.badge.clearScreen()
        try await engine.step { step throws(BelfryError) in Self.wipe(.wiped, in: &step) }
        await engine.pageWork.finished()
        await engine.badge.clear()
    }

    /// Deletes everything in one transaction. What remains is a new installation's id, and the choice about tracking.
    static func wipe(_ reason: PrivacyRules.Rest, in step: inout DeviceStep) {
        step.state.privacy.wiped(reason)
        let id = DeviceID(step.context.environment.makeUUID())
        step.state = DeviceState(id: id, privacy: step.state.privacy)
        step.change = StoreChange(purge: .everything)
        step.then(.purgeCenterFeed)
        step.then(.forgetTriggers)
        InAppMachine.forgetAll(in: &step)
        step.endPresentation(.personChanged)
        step.finishAll(MessageCenterError(reason.error))
        step.then(.wake)
    }
}

extension PrivacyRules.Rest {
    /// The error of setters while the client is suspended.
    var error: ValueError {
        switch self {
        case .wiped:
            ValueError(
                code: "wiped", message: "The client was wiped. Start it again to continue as a new installation.")
        case .erased:
            ValueError(
                code: "erased",
                message: "The server erased the person. Start the client with start(afterErasure: true) to continue."
            )
        }
    }
}
