import BelfryModel
import BelfryRules
import Foundation

/// What the person allows, and what the device forgets (REG-36, ID-4).
extension SyncEngine {
    /// Nothing is taken and nothing is sent.
    func isResting() throws(BelfryError) -> Bool {
        try state().privacy.rest != nil
    }

    /// - Returns: whether a rest ended: the device is a new installation.
    func endRest(afterErasure: Bool) throws(BelfryError) -> Bool {
        var draft = try begun()
        guard draft.state.privacy.started(afterErasure: afterErasure) else { return false }
        try commit(draft)
        return true
    }

    /// A no forgets the session and what waits, in the transaction that stores it. A yes begins a session where the app
    /// is shown.
    func setTrackingEnabled(_ isEnabled: Bool) throws(BelfryError) {
        var draft = try begun()
        guard draft.state.privacy.isTracking != isEnabled else { return }
        draft.state.privacy.setTracking(isEnabled)
        if !isEnabled {
            draft.state.session = SessionRules()
            draft.state.display = DisplayRules()
            draft.change.purge = .events
            draft.change.scrubs = true
        } else if appState == .foreground, draft.state.privacy.rest == nil {
            try openSession(in: &draft, now: environment.now())
        }
        try commit(draft)
        waker.wake()
    }

    /// Forgets everything in one transaction; what is left is the id of another installation, and the person's choice
    /// about tracking.
    func wipe(_ reason: PrivacyRules.Rest) throws(BelfryError) {
        var privacy = try state().privacy
        privacy.wiped(reason)
        var draft = StateDraft(DeviceState(id: DeviceID(environment.makeUUID()), privacy: privacy))
        draft.change.purge = .everything
        draft.purgesFeed = true
        try commit(draft)
        awaited.endAll(MessageCenterError(reason.refusal))
        waker.wake()
    }

    /// Takes away what a former person was sent and the screen still shows, when somebody else has come since.
    func clearScreenOfFormer() async {
        guard showsFormer else { return }
        showsFormer = false
        await pageWork.finished()
        // 0, unless a number of the one who has come is there already.
        await showBadge()
        await platform.deliveredPushes?.removePushes()
    }

    /// Takes away what the person was sent and the screen still shows: the number on the icon, and the pushes in the
    /// system's list (ID-4, REG-36).
    func clearScreen() async {
        await clearBadge()
        await platform.deliveredPushes?.removePushes()
    }

    /// Forgets everything because the app asks for it.
    func wipe() async throws(BelfryError) {
        // First, as at a logout: a kill in between must not leave what the person was sent on the screen.
        await clearScreen()
        try wipe(.wiped)
        await pageWork.finished()
        await clearBadge()
    }

    /// What the server refused is kept no longer than what waits, looked at once a day. Best effort: it is only support
    /// that reads it, and nothing else may wait for it.
    func ageSetAside(now: Date) {
        if let last = asideLookedAt, last <= now, now.timeIntervalSince(last) < 86_400 { return }
        asideLookedAt = now
        try? storage.opened().store.dropSetAside(before: configuration.queueLimits.oldestAllowed(now: now))
    }

    /// The server said that the person was erased.
    func erased() throws(BelfryError) {
        try wipe(.erased)
        reporter.report(.erased)
    }

    /// Why a push of ours is not to be shown; nil when it is.
    func dropReason(of push: ReceivedPush) throws(BelfryError) -> PushDropReason? {
        try state().pushFilter.dropReason(of: push)
    }

    /// Whether a push is shown and recorded; one that is not is reported.
    func takes(_ push: ReceivedPush) throws(BelfryError) -> Bool {
        guard let reason = try dropReason(of: push) else { return true }
        reporter.report(.pushDropped(reason))
        return false
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
