import BelfryModel
import BelfryRules
import Foundation

/// Events of the app and the device: start, foreground, background, network, system.
struct LifecycleCoordinator: Sendable {
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
        // The platform began this background time before it sent the event.
        if event == .background { endBackgroundTime(await platform.backgroundTime?.begunByPlatform()) }
    }

    /// The platform asks the system; the token arrives later, through ``PushCoordinator``.
    private func requestPushToken() async {
        await platform.pushTokens?.requestPushToken()
    }
}

// MARK: - The foreground

extension LifecycleCoordinator {
    /// The app comes to the foreground: the system's values are read, a session begins or continues, and pushes that
    /// the system has shown meanwhile are processed.
    func becameForeground() async throws(BelfryError) {
        await readSystem()
        let isReturn = await engine.process.appState != .foreground
        try await enterForeground()
        try await engine.push.takeNotes()
        try await engine.push.takeShown()
        try await engine.badge.readIcon(isReturn: isReturn)
        await engine.badge.show()
        if try await readPermission() {
            await requestPushToken()
        } else {
            await engine.push.askAgain()
        }
    }

    private func enterForeground() async throws(BelfryError) {
        try await engine.step { step throws(BelfryError) in
            let wasForeground = step.process.appState == .foreground
            step.process.appState = .foreground
            guard step.state.privacy.rest == nil else { return }
            step.state.sync.inApp.enteredForeground()
            if !wasForeground { step.state.inApp.endDeferrals() }
            // The screen may be back because a system dialog has closed.
            step.state.inApp.screenReturned()
            if step.state.privacy.isTracking { try Self.openSession(in: &step) }
            step.state.record.lastOpenedAt = step.now
            step.state.sync.uploads.requestFlush()
            // The network may have come back while the app was in the background. This does not apply to each
            // activation of an app that was visible all the time: otherwise an unreachable server would be called at
            // each glance at a notification (REG-6).
            if !wasForeground {
                step.process.openings += 1
                step.state.sync.networkReturned()
                step.state.sync.appOpened()
            }
            InAppMachine.screenShown(true, in: &step)
            step.then(.wake)
        }
    }

    /// A process that was never shown is still a background wake.
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

    /// Reads the system's permission for pushes, which is separate from the app's own switch (REG-1). A change that was
    /// made in the system's settings is sent like any other (REG-5, REG-31).
    ///
    /// - Returns: whether pushes are permitted now and were not before.
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

extension LifecycleCoordinator {
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
    /// The rest stays stored and is sent when the app is shown (EVT-2, PUSH-23).
    ///
    /// A process that was shown before counts as a background wake from now on, until it is shown again: otherwise a
    /// push to everybody would make every device register (REG-3).
    func flushInBackground() async throws(BelfryError) {
        await engine.update { process, _ in
            if process.appState == .background { process.appState = .backgroundWake }
        }
        let time = await platform.backgroundTime?.begin()
        defer { endBackgroundTime(time) }
        try await requestFlush()
    }

    /// Lets the system suspend the app once there is nothing left to send. It returns at once, because its caller must
    /// be able to process the app's return.
    private func endBackgroundTime(_ id: BackgroundTimeID?) {
        guard let id, let time = platform.backgroundTime else { return }
        Task {
            await engine.waitUntilIdle()
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

extension LifecycleCoordinator {
    /// A network monitor reports every change of the path, and the path at its start. Only a network that was gone and
    /// is back ends a wait (REG-6).
    func becameOnline(_ isOnline: Bool) async throws(BelfryError) {
        let isReturn = await engine.update { process, effects in
            defer { process.isOnline = isOnline }
            effects.append(.wake)
            return isOnline && !process.isOnline
        }
        guard isReturn else { return }
        try await engine.step { step throws(BelfryError) in
            step.process.networkReturns += 1
            step.state.sync.networkReturned()
            step.then(.wake)
        }
    }
}

// MARK: - The start

extension LifecycleCoordinator {
    /// Prepares a run. A device that was wiped becomes a new installation here; after an erasure this happens only if
    /// the app requests it (REG-36).
    ///
    /// - Returns: false when the client stays suspended.
    func begin(afterErasure: Bool) async throws(BelfryError) -> Bool {
        let (rest, isNewInstallation, isRunning) = try await engine.step { step throws(BelfryError) in
            let isNewInstallation = step.state.privacy.started(afterErasure: afterErasure)
            let isRunning = step.process.isRunning
            if step.state.privacy.rest == nil { step.process.isRunning = true }
            return (step.state.privacy.rest, isNewInstallation, isRunning)
        }
        guard rest == nil else {
            engine.reporter.report(.erased)
            return false
        }
        guard !isRunning || isNewInstallation else { return true }
        // First, so that no event is lost between reading the platform's state and listening to it.
        await engine.listenToPlatform()
        do throws(BelfryError) {
            try await prepare(isNewInstallation: isNewInstallation)
        } catch {
            await engine.update { process, effects in
                process.isRunning = false
                process.awaited.endAll(MessageCenterError(error), &effects)
            }
            throw error
        }
        return true
    }

    /// - Parameter isNewInstallation: the device has become a new installation.
    private func prepare(isNewInstallation: Bool) async throws(BelfryError) {
        try await launch()
        await readSystem()
        try await readPermission()
        let isShown = await platform.isInForeground()
        // Pushes for the former installation do not concern this one (REG-36).
        if isNewInstallation { await engine.badge.clearScreen() }
        // While the client was suspended, the app reported its state, and the platform may not know it.
        let wasShown = await engine.process.appState == .foreground
        if isShown || (isNewInstallation && wasShown) {
            try await enterForeground()
            try await engine.push.takeNotes()
            try await engine.push.takeShown()
            try await engine.badge.readIcon(isReturn: true)
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
