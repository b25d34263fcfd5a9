import BelfryModel
import BelfryRules
import Foundation

/// What happens to the app and to the device.
extension SyncEngine {
    func happened(_ event: PlatformEvent) async {
        do throws(BelfryError) {
            switch event {
            case .foreground: try await becameForeground()
            case .background: try enteredBackground()
            case .online(let isOnline): try becameOnline(isOnline)
            case .systemChanged: await readSystem()
            }
        } catch {
            reporter.failed(error)
        }
        // The platform began it before it told.
        if event == .background { endBackgroundTime(await platform.backgroundTime?.begunByPlatform()) }
    }

    /// The process started, shown or not.
    func launched() throws(BelfryError) {
        let now = environment.now()
        var draft = try begun()
        draft.state.sync.rebase(to: now)
        draft.state.sync.launched()
        draft.state.display.launched(at: now, timeout: configuration.sessionTimeout)
        let events = draft.state.session.launched(at: now, policy: configuration.sessionPolicy)
        try draft.add(events, owner: draft.state.sync.link.owner, recorder: recorder)
        draft.state.inApp.rebase(to: now)
        try add(draft.state.inApp.launched(), to: &draft, now: now)
        if platform.inAppPresenter != nil { draft.state.sync.inApp.setEnabled(true) }
        try commit(draft)
    }

    func becameForeground() async throws(BelfryError) {
        await readSystem()
        try enteredForeground()
        try await takeDeliveredBadges()
        await showBadge()
        if try await readPermission() { await platform.pushTokens?.requestPushToken() }
    }

    func enteredForeground() throws(BelfryError) {
        let now = environment.now()
        var draft = try begun()
        guard draft.state.privacy.rest == nil else {
            appState = .foreground
            return
        }
        draft.state.sync.inApp.enteredForeground()
        if appState != .foreground { draft.state.inApp.endDeferrals() }
        // It may have been the system's own question that went away.
        draft.state.inApp.screenReturned()
        if draft.state.privacy.isTracking { try openSession(in: &draft, now: now) }
        draft.state.record.lastOpenedAt = now
        draft.state.sync.uploads.requestFlush()
        // The network may have come back while nobody looked. Not at each activation of an app that was shown all the
        // time: a server that cannot be reached would be asked at each glance at a notification (REG-6).
        if appState != .foreground { draft.state.sync.networkReturned() }
        try commit(draft)
        appState = .foreground
        screenShown(true, at: now)
        waker.wake()
    }

    func openSession(in draft: inout StateDraft, now: Date) throws(BelfryError) {
        let events = draft.state.session.enteredForeground(
            at: now,
            newID: environment.makeUUID().uuidString,
            policy: configuration.sessionPolicy
        )
        try draft.add(events, owner: draft.state.sync.link.owner, recorder: recorder)
        try judge(events, in: &draft, now: now, isForeground: true)
    }

    func enteredBackground() throws(BelfryError) {
        let now = environment.now()
        var draft = try begun()
        if draft.state.privacy.rest == nil {
            draft.state.session.enteredBackground(at: now)
            draft.state.sync.uploads.requestFlush()
            try commit(draft)
        }
        // A process that was never shown stays a background wake.
        if appState == .foreground { appState = .background }
        screenShown(false, at: now)
        isHurried = true
        waker.wake()
    }

    func becameOnline(_ isOnline: Bool) throws(BelfryError) {
        // A monitor tells of every change of the path, and of the path as it is when it begins. Only a network that was
        // gone and is back ends a wait (REG-6).
        let isReturn = isOnline && !self.isOnline
        self.isOnline = isOnline
        if isReturn {
            var draft = try begun()
            draft.state.sync.networkReturned()
            try commit(draft)
        }
        waker.wake()
    }

    /// Reads the system's fields; a change is sent by itself (REG-5).
    func readSystem() async {
        let system = await platform.systemProperties()
        do throws(BelfryError) {
            var draft = try begun()
            guard draft.state.privacy.rest == nil else { return }
            draft.state.record.system = system
            draft.noticeRecord(now: environment.now())
            try commit(draft)
            waker.wake()
        } catch {
            reporter.failed(error)
        }
    }

    func requestFlush() throws(BelfryError) {
        var draft = try begun()
        guard draft.state.privacy.rest == nil else { return }
        draft.state.sync.uploads.requestFlush()
        try commit(draft)
        isHurried = true
        waker.wake()
    }
}
