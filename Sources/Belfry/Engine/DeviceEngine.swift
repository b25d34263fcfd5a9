import BelfryModel
import BelfryRules
import Foundation

/// The isolation domain of one device: it owns the state, stores each step in one transaction, and performs its
/// effects.
///
/// It decides nothing: the machine of each concern decides what a step does, and the coordinator of the concern starts
/// steps. A step runs without an `await`, so nothing happens between reading the state and storing its successor.
actor DeviceEngine {
    nonisolated let context: DeviceContext
    nonisolated let transport: any Transport
    nonisolated let feeds = Feeds()
    /// Shows the badge, one number at a time.
    nonisolated let badgeWork = OrderedWork()
    /// Calls of the in-app delegate, and removals of pages, each in their order.
    nonisolated let delegateWork = OrderedWork()
    nonisolated let pageWork = OrderedWork()

    private var store: DeviceStateStore
    var process = ProcessState()
    /// The platform's events. The stream begins before the platform's current values are read, so none is missed.
    private(set) var platformEvents: AsyncStream<PlatformEvent>?
    private var waiters: [Int: CheckedContinuation<AwaitedCall.Outcome, Never>] = [:]
    private var sleeps: [Loop: Sleep] = [:]
    private var idleWaiters: [CheckedContinuation<Void, Never>] = []

    init(context: DeviceContext, transport: any Transport) {
        self.context = context
        self.transport = transport
        store = DeviceStateStore(context.storage, context.configuration)
    }

    nonisolated var reporter: ClientReporter { context.recorder.reporter }
    nonisolated var environment: DeviceEnvironment { context.environment }

    /// The state as it is stored.
    func state() throws(BelfryError) -> DeviceState { try store.state }
}

// MARK: - Steps

extension DeviceEngine {
    /// Takes one step: it is stored in one transaction, then its effects are performed.
    func step<Output: Sendable>(
        _ body: @Sendable (inout DeviceStep) throws(BelfryError) -> Output
    ) throws(BelfryError) -> Output {
        let former = try store.state
        var step = DeviceStep(context, state: former, process: process)
        let output = try body(&step)
        let dropped = try store.commit(step)
        process = step.process
        perform(step.allEffects(after: former, dropped: dropped))
        return output
    }

    /// Like ``step(_:)``, for a caller with another type of error.
    func step<Output: Sendable, Failure: Error>(
        orThrow error: @Sendable (BelfryError) -> Failure,
        _ body: @Sendable (inout DeviceStep) throws(BelfryError) -> Output
    ) throws(Failure) -> Output {
        do throws(BelfryError) {
            return try step(body)
        } catch let failure {
            throw error(failure)
        }
    }

    /// Reads the present state; nothing is stored and no effects are performed.
    func read<Output: Sendable>(
        _ body: @Sendable (inout DeviceStep) throws(BelfryError) -> Output
    ) throws(BelfryError) -> Output {
        var step = DeviceStep(context, state: try store.state, process: process)
        return try body(&step)
    }

    /// Changes only the state of the process, which cannot fail.
    @discardableResult
    func update<Output: Sendable>(
        _ body: @Sendable (inout ProcessState, inout [Effect]) -> Output
    ) -> Output {
        var effects: [Effect] = []
        let output = body(&process, &effects)
        perform(effects)
        return output
    }

    func listenToPlatform() {
        if platformEvents == nil { platformEvents = context.platform.events() }
    }

    /// The state of a client that is neither suspended nor stopped.
    func presentState() throws(MessageCenterError) -> DeviceState {
        let current: DeviceState
        do throws(BelfryError) {
            _ = try context.storage.opened()
            current = try store.state
        } catch {
            throw MessageCenterError(error)
        }
        if let rest = current.privacy.rest { throw MessageCenterError(rest.error) }
        return current
    }
}

// MARK: - Effects

extension DeviceEngine {
    /// The maximum number of seconds for which closing a page delays a logout or the next page.
    private static let closeTimeout: TimeInterval = 5

    private func perform(_ effects: [Effect]) {
        for effect in effects {
            perform(effect)
        }
    }

    private func perform(_ effect: Effect) {
        let triggers = context.storage.triggers
        switch effect {
        case .wake: context.recorder.signal.wake()
        case .report(let report): reporter.report(report)
        case .finish(let number, let outcome): waiters.removeValue(forKey: number)?.resume(returning: outcome)
        case .purgeCenterFeed:
            feeds.centerUpdates.purge()
            feeds.centerResponses.purge()
        case .tellCenters(let news):
            if let response = news.response { feeds.centerResponses.send(response) }
            if let update = news.update { feeds.centerUpdates.send(update) }
        case .wakeInApp: triggers.signal.wake()
        case .addTriggers(let events): triggers.add(events)
        case .forgetTriggers: _ = triggers.take()
        case .awaitEvents(let names): triggers.setNames(names)
        case .purgeInAppFeed:
            feeds.inAppDecisions.purge()
            feeds.inAppActions.purge()
        case .tellInApp(let report): feeds.inAppDecisions.send(report)
        case .showInApp(let number):
            let task = Task { await InAppPresentationTask(number: number).run(on: self) }
            if process.inApp.presentation?.number == number { process.inApp.presentation?.task = task }
        case .inAppShown(let message):
            if let delegate = process.inApp.delegate { delegateWork.add { await delegate.didShow(message) } }
        case .endPresentation(let presentation, let reason, let how): end(presentation, reason, how)
        case .finishAskers(let askers, let reason): askers.forEach { $0.resume(returning: reason) }
        case .runAction(let action, let message, let buttonID):
            InAppActions(context: context, feed: feeds.inAppActions, work: delegateWork)
                .run(action, of: message, buttonID: buttonID, by: process.inApp.delegate)
        case .offerInlines: feeds.inlineOffers.send(())
        case .endInlines(let inlineIDs): feeds.inlineEnds.send(inlineIDs)
        }
    }

    private func end(_ presentation: ActiveInAppPresentation, _ reason: InAppReason, _ how: InAppDismissal) {
        presentation.task?.cancel()
        perform(.finishAskers(presentation.askers, reason))
        if let page = presentation.page {
            let end = environment.now().addingTimeInterval(Self.closeTimeout)
            pageWork.add(until: end, sleep: environment.sleep) { await page.close() }
        }
        guard presentation.step == .onScreen, let delegate = process.inApp.delegate else { return }
        delegateWork.add { await delegate.didClose(presentation.message, how: how) }
    }
}

// MARK: - Awaited calls

extension DeviceEngine {
    /// The sync loop makes the call in its turn, as soon as the contact is linked; if the call would have to wait for
    /// anything else, it fails at once.
    ///
    /// - Returns: the result, once it is stored.
    func ask(_ kind: AwaitedCall.Kind) async throws(MessageCenterError) -> AwaitedCall.Response {
        let current = try presentState()
        let generation =
            switch kind {
            case .setBadge: current.sync.badge.generation
            case .richContent, .message, .fetchCenters: current.sync.centers.generation
            case .fetchInApp: current.sync.inApp.generation
            }
        guard process.isRunning else { throw .notStarted }
        guard !Task.isCancelled else { throw .cancelled }
        let number = process.awaited.add(kind, generation: generation)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiters[number] = continuation
                context.recorder.signal.wake()
            }
        } onCancel: {
            Task { await self.update { $0.awaited.cancel(number, &$1) } }
        }
        return try outcome.get()
    }
}

// MARK: - Sleep and end

extension DeviceEngine {
    enum Loop: Hashable { case sync, inApp }

    /// The time until which a loop sleeps, and the last wake that it had seen before it fell asleep.
    private struct Sleep {
        let until: Date
        let generation: Int
    }

    nonisolated func signal(of loop: Loop) -> LoopSignal {
        switch loop {
        case .sync: context.recorder.signal
        case .inApp: context.storage.triggers.signal
        }
    }

    /// The loop sleeps until the date, or until it is woken.
    ///
    /// - Parameter generation: the generation of its signal when the loop looked for work.
    func sleep(_ loop: Loop, until: Date, past generation: Int) async {
        sleeps[loop] = Sleep(until: until, generation: generation)
        resumeIdleWaiters()
        let signal = signal(of: loop)
        await withTaskGroup(of: Void.self) { group in
            // The sync loop checks its plan regularly, in case the clock was set.
            if loop == .sync || until < .distantFuture {
                group.addTask { [environment] in await environment.sleep(until) }
            }
            group.addTask { await signal.wait(past: generation) }
            _ = await group.next()
            group.cancelAll()
        }
        sleeps[loop] = nil
    }

    private func isAsleep(_ loop: Loop) -> Bool {
        guard let sleep = sleeps[loop] else { return false }
        return sleep.generation == signal(of: loop).generation && sleep.until > environment.now()
    }

    /// Returns when the loops have nothing left to do at present: everything was sent, or the rest has to wait.
    func waitUntilIdle() async {
        while process.isRunning, !isAsleep(.sync) || !isAsleep(.inApp) {
            await withCheckedContinuation { idleWaiters.append($0) }
        }
    }

    /// Like ``waitUntilIdle()``, and no message is about to be shown; for tests.
    func waitUntilIdleWithPresentations() async {
        while process.isRunning, !isAsleep(.sync) || !isAsleep(.inApp) || process.inApp.isMoving {
            await withCheckedContinuation { idleWaiters.append($0) }
        }
        await pageWork.finished()
        await delegateWork.finished()
    }

    /// Lets the callers that wait for idleness check again.
    func resumeIdleWaiters() {
        let waiting = idleWaiters
        idleWaiters = []
        for continuation in waiting {
            continuation.resume()
        }
    }

    /// The loops have ended: waiting callers get an error, and nothing stays on the screen.
    func stopped() {
        update { process, effects in
            process.isRunning = false
            process.tokenRetry.ended(isSuccess: false)
            process.awaited.endAll(MessageCenterError(.stopped), &effects)
            process.inApp.endPresentation(.notForeground, .replaced, &effects)
        }
        resumeIdleWaiters()
    }

    /// Releases the storage; the engine cannot be used again.
    func end() {
        platformEvents = nil
        context.storage.close()
        stopped()
        feeds.finish()
        reporter.finish()
    }
}
