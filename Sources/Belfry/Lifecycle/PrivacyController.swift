import BelfryModel
import BelfryRules
import Foundation

/// What the person allows, and what the device forgets (REG-36).
struct PrivacyController: Sendable {
    let engine: DeviceEngine

    /// A no forgets the session and what waits, in the transaction that stores it. A yes begins a session where the app
    /// is shown.
    func setTracking(_ isEnabled: Bool) async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in
            guard step.state.privacy.isTracking != isEnabled else { return }
            step.state.privacy.setTracking(isEnabled)
            if !isEnabled {
                step.state.session = SessionRules()
                step.state.display = DisplayRules()
                step.change.purge = .events
                step.change.scrubs = true
            } else if step.process.appState == .foreground, step.state.privacy.rest == nil {
                try LifecycleController.openSession(in: &step)
            }
            step.then(.wake)
        }
    }

    /// Forgets everything because the app asks for it.
    func wipe() async throws(BelfryError) {
        // First, as at a logout: a kill in between must not leave what the person was sent on the screen.
        await engine.badge.clearScreen()
        try await engine.step { step throws(BelfryError) in Self.wipe(.wiped, in: &step) }
        await engine.pageWork.finished()
        await engine.badge.clear()
    }

    /// Forgets everything in one transaction; what is left is the id of another installation, and the person's choice
    /// about tracking.
    static func wipe(_ reason: PrivacyRules.Rest, in step: inout DeviceStep) {
        step.state.privacy.wiped(reason)
        let id = DeviceID(step.context.environment.makeUUID())
        step.state = DeviceState(id: id, privacy: step.state.privacy)
        step.change = StoreChange(purge: .everything)
        step.then(.purgeCenterFeed)
        step.then(.forgetTriggers)
        InAppMachine.forgetAll(in: &step)
        step.endShowing(.personChanged)
        step.answerAll(MessageCenterError(reason.refusal))
        step.then(.wake)
    }
}

extension PrivacyRules.Rest {
    /// What a setter answers meanwhile.
    var refusal: Refusal {
        switch self {
        case .wiped:
            Refusal(code: "wiped", message: "The client was wiped. Start it again to go on as a new installation.")
        case .erased:
            Refusal(
                code: "erased",
                message: "The server erased the person. Start the client by start(afterErasure: true) to go on."
            )
        }
    }
}
