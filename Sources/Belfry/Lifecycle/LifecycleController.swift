import BelfryModel
import BelfryRules
import Foundation

/// What happens to the app and to the device: start, foreground, background, network, system.
struct LifecycleController: Sendable {
    let engine: DeviceEngine

    private var platform: any DevicePlatform { engine.context.platform }

    func happened(_ event: PlatformEvent) async {
        do throws(BelfryError) {
            switch event {
            case .foreground: try await becameForeground()
            case .background: try await enteredBackground()
            case .online(let isOnline): try await becameOnline(isOnline)
            case .systemChanged: await readSystem()
            }
        } catch {
            engine.reporter.failed(error)
        }
        // The platform began it before it told.
        if event == .background { endBackgroundTime(await platform.backgroundTime?.begunByPlatform()) }
    }

    /// The platform asks the system; the token comes by itself, through ``PushController``.
    private func requestPushToken() async {
        await platform.pushTokens?.requestPushToken()
    }
}

// MARK: - The foreground

extension LifecycleController {
    /// The app comes to the foreground: what the system says is read, a session begins or goes on, and what the system
    /// has shown meanwhile is taken.
    func becameForeground() async throws(BelfryError) {
        await readSystem()
        try await enterForeground()
        try await engine.badge.takeDelivered()
        await engine.badge.show()
        if try await readPermission() { await requestPushToken() }
    }

    private func enterForeground() async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in
            let wasForeground = step.process.appState == .foreground
            step.process.appState = .foreground
            guard step.state.privacy.rest == nil else { return }
            step.state.sync.inApp.enteredForeground()
            if !wasForeground { step.state.inApp.endDeferrals() }
            // It may have been the system's own question that went away.
            step.state.inApp.screenReturned()
            if step.state.privacy.isTracking { try Self.openSession(in: &step) }
            step.state.record.lastOpenedAt = step.now
            step.state.sync.uploads.requestFlush()
            // The network may have come back while nobody looked. Not at each activation of an app that was shown all
            // the time: a server that cannot be reached would be asked at each glance at a notification (REG-6).
            if !wasForeground { step.state.sync.networkReturned() }
            InAppMachine.screenShown(true, in: &step)
            step.then(.wake)
        }
    }

    /// A session begins, or goes on when the app was away for a short time only.
    static func openSession(in step: inout DeviceStep) throws(BelfryError) {
        let events = step.state.session.enteredForeground(
            at: step.now, newID: step.newID(), policy: step.configuration.sessionPolicy
        )
        try step.add(events, owner: step.state.sync.link.owner)
        try InAppMachine.judge(events, in: &step)
    }

    /// Reads the system's fields; a change is sent by itself (REG-5).
    func readSystem() async {
        let system = await platform.systemProperties()
        do throws(BelfryError) {
            try await engine.step { step throws(BelfryError) in
                guard step.state.privacy.rest == nil else { return }
                step.state.record.system = system
                step.noticeRecord()
                step.then(.wake)
            }
        } catch {
            engine.reporter.failed(error)
        }
    }

    /// Asks the platform what the operating system says about pushes, which is kept apart from the app's own switch
    /// (REG-1). A change that was made in the system's settings is sent by itself (REG-5, REG-31).
    ///
    /// - Returns: whether pushes are allowed now and were not before.
    @discardableResult
    private func readPermission() async throws(BelfryError) -> Bool {
        guard let permission = await platform.pushPermission() else { return false }
        return try await engine.step { step throws(BelfryError) in
            guard step.state.privacy.rest == nil else { return false }
            let former = step.state.record
            step.state.record.take(permission)
            guard step.state.record != former else { return false }
            step.noticeRecord()
            step.then(.wake)
            return permission == .granted
        }
    }
}

// MARK: - The background

extension LifecycleController {
    func enteredBackground() async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in
            if step.state.privacy.rest == nil {
                step.state.session.enteredBackground(at: step.now)
                step.state.sync.uploads.requestFlush()
            }
            // A process that was never shown stays a background wake.
            if step.process.appState == .foreground { step.process.appState = .background }
            step.process.isHurried = true
            InAppMachine.screenShown(false, in: &step)
            step.then(.wake)
        }
    }

    /// A silent push woke the app: sends what waits, as far as the time allows, without making the caller wait for it.
    /// What does not leave is stored and leaves when the app is shown (EVT-2, PUSH-23).
    ///
    /// A process that was shown before counts from now on as one that was not, until it is shown again: a push to
    /// everybody must not make every device register (REG-3).
    func flushInBackground() async throws(BelfryError) {
        await engine.update { process, _ in
            if process.appState == .background { process.appState = .backgroundWake }
        }
        let time = await platform.backgroundTime?.begin()
        defer { endBackgroundTime(time) }
        try await requestFlush()
    }

    /// Lets the system suspend the app once there is nothing left to send. It does not wait for that itself: who tells
    /// of the background must be heard when it tells that the app is back.
    private func endBackgroundTime(_ id: BackgroundTimeID?) {
        guard let id, let time = platform.backgroundTime else { return }
        Task {
            await engine.settled()
            await time.end(id)
        }
    }

    func requestFlush() async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in
            guard step.state.privacy.rest == nil else { return }
            step.state.sync.uploads.requestFlush()
            step.process.isHurried = true
            step.then(.wake)
        }
    }
}

// MARK: - The network

extension LifecycleController {
    /// A monitor tells of every change of the path, and of the path as it is when it begins. Only a network that was gone
    /// and is back ends a wait (REG-6).
    func becameOnline(_ isOnline: Bool) async throws(BelfryError) {
        let isReturn = await engine.update { process, effects in
            defer { process.isOnline = isOnline }
            effects.append(.wake)
            return isOnline && !process.isOnline
        }
        guard isReturn else { return }
        try await engine.step { step throws(BelfryError) in
            step.state.sync.networkReturned()
            step.then(.wake)
        }
    }
}

// MARK: - The start

extension LifecycleController {
    /// Prepares a run. A device that was wiped begins anew here; one whose person was erased does when the app asks for
    /// that (REG-36).
    ///
    /// - Returns: false when the device stays quiet.
    func begin(afterErasure: Bool) async throws(BelfryError) -> Bool {
        let (rest, isAnew, isRunning) = try await engine.step { step throws(BelfryError) in
            let isAnew = step.state.privacy.started(afterErasure: afterErasure)
            let isRunning = step.process.isRunning
            if step.state.privacy.rest == nil { step.process.isRunning = true }
            return (step.state.privacy.rest, isAnew, isRunning)
        }
        guard rest == nil else {
            engine.reporter.report(.erased)
            return false
        }
        guard !isRunning || isAnew else { return true }
        // First: what happens between the question below and the first listening must not be lost.
        await engine.listenToPlatform()
        do throws(BelfryError) {
            try await prepare(isAnew: isAnew)
        } catch {
            await engine.update { process, effects in
                process.isRunning = false
                process.awaited.endAll(MessageCenterError(error), &effects)
            }
            throw error
        }
        return true
    }

    /// - Parameter isAnew: the device is a new installation.
    private func prepare(isAnew: Bool) async throws(BelfryError) {
        try await launch()
        await readSystem()
        try await readPermission()
        let isShown = await platform.isInForeground()
        // What came for the former installation is no news of this one (REG-36).
        if isAnew { await platform.deliveredPushes?.removePushes() }
        // While it rested, the app told where it stands, and the platform may not know.
        let wasShown = await engine.process.appState == .foreground
        if isShown || (isAnew && wasShown) {
            try await enterForeground()
            try await engine.badge.takeDelivered()
        }
        await engine.badge.show()
        if try await engine.state().record.osPushEnabled == true { await requestPushToken() }
    }

    /// The process started, shown or not.
    private func launch() async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in
            step.state.sync.rebase(to: step.now)
            step.state.sync.launched()
            step.state.display.launched(at: step.now, timeout: step.configuration.sessionTimeout)
            let events = step.state.session.launched(at: step.now, policy: step.configuration.sessionPolicy)
            try step.add(events, owner: step.state.sync.link.owner)
            step.state.inApp.rebase(to: step.now)
            try InAppMachine.add(step.state.inApp.launched(), to: &step)
            if step.context.platform.inAppPresenter != nil { step.state.sync.inApp.setEnabled(true) }
        }
    }
}
