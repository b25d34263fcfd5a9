import BelfryModel
import BelfryRules
import Foundation

/// Owns the device's state and its talk with the server: asks ``BelfryRules/SyncPlan`` what comes next, does it, and
/// sleeps until something is due or someone wakes it.
///
/// Every change of state is stored in one transaction before anything that depends on it happens; no `await` stands
/// between reading the state and storing its successor.
actor SyncEngine {
    let configuration: BelfryConfiguration
    let platform: any DevicePlatform
    let transport: any Transport
    let environment: DeviceEnvironment
    let storage: DeviceStorage
    let recorder: EventRecorder
    let reporter: ClientReporter
    let waker: Waker
    nonisolated let centerFeed = CenterFeed()
    nonisolated let inAppFeed = InAppFeed()
    /// The tickets of inline messages that are not to be seen any more.
    nonisolated let inlineEnds = Broadcast<Set<Int>>(maximumWaiting: InlineUses.maximumKnown)
    /// Shows the badge, one number after the other.
    let badgeWork = OrderedWork()
    /// What the app is told and asked about in-app messages, and the pages that go, each in their order.
    let inAppWork = OrderedWork()
    let pageWork = OrderedWork()
    var inApp = InAppRuntime()

    /// Nil until it is first needed.
    private var stored: DeviceState?
    var appState = AppState.backgroundWake
    var isOnline = true
    /// Edits are not collected: the app is leaving, or asked for a flush.
    var isHurried = false
    /// What a former person was sent may still be on the screen.
    var showsFormer = false
    /// Those who wait for the answer to a call.
    var awaited = AwaitedCalls()
    /// When the events set aside were last looked at for their age.
    var asideLookedAt: Date?
    private(set) var isRunning = false
    /// What the platform tells, from before it is asked for the present on.
    private var platformEvents: AsyncStream<PlatformEvent>?
    /// Until when the loop sleeps, and which wakes it had seen before it fell asleep.
    private var nap: (until: Date, generation: Int)?
    private var settling: [CheckedContinuation<Void, Never>] = []

    init(
        configuration: BelfryConfiguration,
        platform: any DevicePlatform,
        transport: any Transport,
        environment: DeviceEnvironment,
        recorder: EventRecorder
    ) {
        self.configuration = configuration
        self.platform = platform
        self.transport = transport
        self.environment = environment
        self.recorder = recorder
        storage = recorder.storage
        reporter = recorder.reporter
        waker = recorder.waker
    }

    /// The state as it is stored.
    func state() throws(BelfryError) -> DeviceState {
        if let stored { return stored }
        guard let first = try storage.opened().takeState() else { throw BelfryError.stopped }
        stored = first
        return first
    }

    /// A step that begins at the state.
    func begun() throws(BelfryError) -> StateDraft {
        StateDraft(try state())
    }

    /// Makes a step durable, then takes it as the state.
    func commit(_ draft: StateDraft) throws(BelfryError) {
        let former = try state()
        var change = draft.change
        // After a purge of everything the store has nothing to compare with.
        let kept = change.purge == .everything ? DeviceState(id: former.id) : former
        change.values = try draft.state.values(changedSince: kept)
        let takesEvents = draft.state.privacy.takesEvents
        if takesEvents != former.privacy.takesEvents { change.takesEvents = takesEvents }
        let dropped = try storage.opened().store.commit(change)
        stored = draft.state
        storage.context.withLock { $0 = draft.state.trackingContext }
        storage.pushFilter.withLock { $0 = draft.state.pushFilter }
        if draft.changesPerson { showsFormer = true }
        tell(draft)
        inAppStored(draft, change, former: former)
        if dropped > 0 { reporter.report(.eventsDropped(count: dropped, reason: .queueFull)) }
        for report in draft.reports {
            reporter.report(report)
        }
    }
}

// MARK: - The loop

extension SyncEngine {
    /// Prepares a run: call before ``run()``. A device that was wiped begins anew here; one whose person was erased does
    /// when the app asks for that (REG-36).
    ///
    /// - Returns: false when the device stays quiet.
    func begin(afterErasure: Bool) async throws(BelfryError) -> Bool {
        let isAnew = try endRest(afterErasure: afterErasure)
        guard try !isResting() else {
            reporter.report(.erased)
            return false
        }
        guard !isRunning || isAnew else { return true }
        isRunning = true
        // First: what happens between the question below and the first listening must not be lost.
        if platformEvents == nil { platformEvents = platform.events() }
        do throws(BelfryError) {
            try launched()
            await readSystem()
            try await readPermission()
            let isShown = await platform.isInForeground()
            // While it rested, the app told where it stands, and the platform may not know.
            // What came for the former installation is no news of this one (REG-36).
            if isAnew { await platform.deliveredPushes?.removePushes() }
            if isShown || (isAnew && appState == .foreground) {
                try enteredForeground()
                try await takeDeliveredBadges()
            }
            await showBadge()
            if try state().record.osPushEnabled == true { await platform.pushTokens?.requestPushToken() }
        } catch {
            isRunning = false
            awaited.endAll(MessageCenterError(error))
            throw error
        }
        return true
    }

    /// The one loop; it ends when its task is cancelled.
    func run() async {
        let news = CenterNewsDelivery(to: platform.messageCenterListener, from: centerFeed)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.listen() }
            if let news { group.addTask { await news.run() } }
            group.addTask { await self.runInApp() }
            while !Task.isCancelled {
                await pass()
            }
            group.cancelAll()
        }
        isRunning = false
        awaited.endAll(MessageCenterError(.stopped))
        endShowing(.notForeground)
        settle()
    }

    /// Lets go of the storage; the engine cannot be used again.
    func end() {
        isRunning = false
        platformEvents = nil
        settle()
        storage.close()
        awaited.endAll(MessageCenterError(.stopped))
        endShowing(.notForeground)
        centerFeed.finish()
        inAppFeed.finish()
        inlineEnds.finish()
        reporter.finish()
    }

    /// Returns when the loops have nothing left to do at once: everything was sent, or what is left has to wait.
    func settled() async {
        while isRunning, !isAsleep || !isInAppAsleep {
            await withCheckedContinuation { settling.append($0) }
        }
    }

    /// The same, and no message is on its way to the screen; for tests.
    func settledWholly() async {
        while isRunning, !isAsleep || !isInAppAsleep || isInAppMoving {
            await withCheckedContinuation { settling.append($0) }
        }
        await pageWork.finished()
        await inAppWork.finished()
    }

    private func listen() async {
        guard let platformEvents else { return }
        for await event in platformEvents {
            await happened(event)
        }
    }

    private func pass() async {
        let generation = waker.generation
        let now = environment.now()
        do throws(BelfryError) {
            try tidy(now: now)
            try endStrangers()
            try endImpatient(now: now)
            let step = try nextStep(now: now)
            try endAwaited(when: step)
            switch step {
            case .wait(let until, _): await rest(until: min(until, nextSessionTime), generation: generation)
            case .idle: await rest(until: nextSessionTime, generation: generation)
            default: try await perform(step, now: now)
            }
        } catch {
            awaited.endAll(MessageCenterError(error))
            reporter.failed(error)
            await rest(until: now.addingTimeInterval(60), generation: generation)
        }
    }

    /// Whatever time itself brings: a clock that was set back, the end of a session, events grown too old.
    private func tidy(now: Date) throws(BelfryError) {
        let store = try storage.opened().store
        let dropped = try store.dropEvents(before: configuration.queueLimits.oldestAllowed(now: now))
        let surplus = try store.dropSurplus()
        ageSetAside(now: now)
        var draft = try begun()
        if dropped > 0 { draft.reports.append(.eventsDropped(count: dropped, reason: .tooOld)) }
        if surplus > 0 { draft.reports.append(.eventsDropped(count: surplus, reason: .queueFull)) }
        draft.state.sync.rebase(to: now)
        let ended = draft.state.session.timePassed(at: now, policy: configuration.sessionPolicy)
        try draft.add(ended, owner: draft.state.sync.link.owner, recorder: recorder)
        if appState == .foreground, nextSessionTime <= now { draft.state.session.seen(at: now) }
        let queue = try store.queueStatus()
        draft.state.sync.uploads.noticed(queue)
        try dropOldMessages(in: &draft, now: now)
        try commit(draft)
    }

    /// What the plan says now; nothing is changed.
    func nextStep(now: Date) throws(BelfryError) -> SyncStep {
        let current = try state()
        let situation = try situation(of: current)
        return SyncPlan.next(for: current.sync, in: situation, now: now, policy: configuration.syncPolicy)
    }

    /// What is the case now.
    func situation(of current: DeviceState) throws(BelfryError) -> SyncSituation {
        let store = try storage.opened().store
        let queue = try store.queueStatus()
        return SyncSituation(
            record: current.record.reported,
            recordDigest: current.recordDigest,
            queue: queue,
            appState: appState,
            isOnline: isOnline,
            isHurried: isHurried,
            isResting: current.privacy.rest != nil,
            pendingState: try store.nextPendingState(),
            isAwaited: awaited.first != nil
        )
    }

    private var nextSessionTime: Date {
        stored?.session.nextDue(policy: configuration.sessionPolicy) ?? .distantFuture
    }

    private var isAsleep: Bool {
        guard let nap else { return false }
        return nap.generation == waker.generation && nap.until > environment.now()
    }

    private func rest(until: Date, generation: Int) async {
        isHurried = appState == .background
        nap = (until, generation)
        settle()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [environment] in await environment.sleep(until) }
            group.addTask { [waker] in await waker.wait(past: generation) }
            _ = await group.next()
            group.cancelAll()
        }
        nap = nil
    }

    /// Lets those who wait look again.
    func settle() {
        let waiting = settling
        settling = []
        for continuation in waiting {
            continuation.resume()
        }
    }
}
