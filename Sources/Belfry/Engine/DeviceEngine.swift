import BelfryModel
import BelfryRules
import Foundation

/// The isolation domain of one device: it owns the state, stores each step in one transaction, and performs what follows.
///
/// It decides nothing. What a step does stands in the machine of its concern, and who begins a step in the controller of
/// its concern. A step runs without an `await`, so nothing comes between reading the state and storing its successor.
actor DeviceEngine {
    nonisolated let context: DeviceContext
    nonisolated let transport: any Transport
    nonisolated let feeds = Feeds()
    /// Shows the badge, one number after the other.
    nonisolated let badgeWork = OrderedWork()
    /// What the app is told and asked about in-app messages, and the pages that go, each in their order.
    nonisolated let delegateWork = OrderedWork()
    nonisolated let pageWork = OrderedWork()

    private var store: DeviceStateStore
    var process = ProcessState()
    /// What the platform tells, from before it is asked for the present on.
    private(set) var platformEvents: AsyncStream<PlatformEvent>?
    private var waiters: [Int: CheckedContinuation<AwaitedCall.Outcome, Never>] = [:]
    private var naps: [Loop: Nap] = [:]
    private var settling: [CheckedContinuation<Void, Never>] = []

    init(context: DeviceContext, transport: any Transport) {
        self.context = context
        self.transport = transport
        store = DeviceStateStore(context.storage)
    }

    nonisolated var reporter: ClientReporter { context.recorder.reporter }
    nonisolated var environment: DeviceEnvironment { context.environment }

    /// The state as it is stored.
    func state() throws(BelfryError) -> DeviceState { try store.state }
}

// MARK: - Steps

extension DeviceEngine {
    /// Takes one step: stored in one transaction, then in effect.
    func step<Output: Sendable>(
        _ body: @Sendable (inout DeviceStep) throws(BelfryError) -> Output
    ) throws(BelfryError) -> Output {
        var step = DeviceStep(context, state: try store.state, process: process)
        let formerInApp = step.state.inApp
        let output = try body(&step)
        let dropped = try store.commit(step)
        process = step.process
        perform(step.effects)
        if step.state.privacy.takesEvents { context.storage.triggers.add(step.change.events.compactMap(\.trigger)) }
        if step.state.inApp != formerInApp { perform([.wakeInApp]) }
        if dropped > 0 { reporter.report(.eventsDropped(count: dropped, reason: .queueFull)) }
        return output
    }

    /// As ``step(_:)``, for a caller whose errors are others.
    func step<Output: Sendable, Failure: Error>(
        orThrow error: @Sendable (BelfryError) -> Failure,
        _ body: @Sendable (inout DeviceStep) throws(BelfryError) -> Output
    ) throws(Failure) -> Output {
        do throws(BelfryError) {
            return try step(body)
        } catch let fault {
            throw error(fault)
        }
    }

    /// Reads what a step would begin with; nothing is stored and nothing follows.
    func look<Output: Sendable>(
        _ body: @Sendable (inout DeviceStep) throws(BelfryError) -> Output
    ) throws(BelfryError) -> Output {
        var step = DeviceStep(context, state: try store.state, process: process)
        return try body(&step)
    }

    /// Changes only what the process knows, which cannot fail.
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

    /// The state of a client that neither rests nor was stopped.
    func presentState() throws(MessageCenterError) -> DeviceState {
        let current: DeviceState
        do throws(BelfryError) {
            _ = try context.storage.opened()
            current = try store.state
        } catch {
            throw MessageCenterError(error)
        }
        if let rest = current.privacy.rest { throw MessageCenterError(rest.refusal) }
        return current
    }
}

// MARK: - Effects

extension DeviceEngine {
    /// Seconds for which a page that goes holds up a logout, and the page after it.
    private static let closeTimeout: TimeInterval = 5

    private func perform(_ effects: [Effect]) {
        for effect in effects {
            perform(effect)
        }
    }

    private func perform(_ effect: Effect) {
        let triggers = context.storage.triggers
        switch effect {
        case .wake: context.recorder.waker.wake()
        case .report(let report): reporter.report(report)
        case .answer(let number, let outcome): waiters.removeValue(forKey: number)?.resume(returning: outcome)
        case .purgeCenterFeed:
            feeds.centerUpdates.purge()
            feeds.centerResponses.purge()
        case .tellCenters(let news):
            if let response = news.response { feeds.centerResponses.send(response) }
            if let update = news.update { feeds.centerUpdates.send(update) }
        case .wakeInApp: triggers.waker.wake()
        case .forgetTriggers: _ = triggers.take()
        case .awaitEvents(let names): triggers.setNames(names)
        case .purgeInAppFeed:
            feeds.inAppDecisions.purge()
            feeds.inAppActions.purge()
        case .tellInApp(let report): feeds.inAppDecisions.send(report)
        case .showInApp(let number):
            let task = Task { await InAppPresentationTask(number: number).run(on: self) }
            if process.inApp.showing?.number == number { process.inApp.showing?.task = task }
        case .inAppShown(let message):
            if let delegate = process.inApp.delegate { delegateWork.add { await delegate.didShow(message) } }
        case .endShowing(let showing, let reason, let how): end(showing, reason, how)
        case .answerAskers(let askers, let reason): askers.forEach { $0.resume(returning: reason) }
        case .runAction(let action, let message, let buttonID):
            InAppActions(context: context, feed: feeds.inAppActions, work: delegateWork)
                .run(action, of: message, buttonID: buttonID, by: process.inApp.delegate)
        case .offerInlines: feeds.inlineOffers.send(())
        case .endInlines(let tickets): feeds.inlineEnds.send(tickets)
        }
    }

    private func end(_ showing: InAppShowing, _ reason: InAppReason, _ how: InAppDismissal) {
        showing.task?.cancel()
        perform(.answerAskers(showing.askers, reason))
        if let page = showing.page {
            let end = environment.now().addingTimeInterval(Self.closeTimeout)
            pageWork.add(until: end, sleep: environment.sleep) { await page.close() }
        }
        guard showing.step == .onScreen, let delegate = process.inApp.delegate else { return }
        delegateWork.add { await delegate.didClose(showing.message, how: how) }
    }
}

// MARK: - Calls that somebody waits for

extension DeviceEngine {
    /// The loop makes the call in its turn, as soon as the contact is settled; when something else would have to be
    /// waited for, it fails at once.
    ///
    /// - Returns: the answer, once what it says is stored.
    func ask(_ kind: AwaitedCall.Kind) async throws(MessageCenterError) -> AwaitedCall.Answer {
        let current = try presentState()
        let generation =
            switch kind {
            case .setBadge: current.sync.badge.generation
            case .richContent, .fetchCenters: current.sync.centers.generation
            case .fetchInApp: current.sync.inApp.generation
            }
        guard process.isRunning else { throw .notStarted }
        guard !Task.isCancelled else { throw .cancelled }
        let number = process.awaited.add(kind, generation: generation)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiters[number] = continuation
                context.recorder.waker.wake()
            }
        } onCancel: {
            Task { await self.update { $0.awaited.cancel(number, &$1) } }
        }
        return try outcome.get()
    }
}

// MARK: - Rest and end

extension DeviceEngine {
    enum Loop: Hashable { case sync, inApp }

    /// Until when a loop sleeps, and which wakes it had seen before it fell asleep.
    private struct Nap {
        let until: Date
        let generation: Int
    }

    nonisolated func waker(of loop: Loop) -> Waker {
        switch loop {
        case .sync: context.recorder.waker
        case .inApp: context.storage.triggers.waker
        }
    }

    /// A loop has nothing left to do until then, or until it is woken.
    ///
    /// - Parameter generation: that of its waker when it looked for something to do.
    func rest(_ loop: Loop, until: Date, past generation: Int) async {
        naps[loop] = Nap(until: until, generation: generation)
        settle()
        let waker = waker(of: loop)
        await withTaskGroup(of: Void.self) { group in
            // The sync loop looks at its plan now and then, in case the clock was set.
            if loop == .sync || until < .distantFuture {
                group.addTask { [environment] in await environment.sleep(until) }
            }
            group.addTask { await waker.wait(past: generation) }
            _ = await group.next()
            group.cancelAll()
        }
        naps[loop] = nil
    }

    private func isAsleep(_ loop: Loop) -> Bool {
        guard let nap = naps[loop] else { return false }
        return nap.generation == waker(of: loop).generation && nap.until > environment.now()
    }

    /// Returns when the loops have nothing left to do at once: everything was sent, or what is left has to wait.
    func settled() async {
        while process.isRunning, !isAsleep(.sync) || !isAsleep(.inApp) {
            await withCheckedContinuation { settling.append($0) }
        }
    }

    /// As ``settled()``, and no message is on its way to the screen; for tests.
    func settledWholly() async {
        while process.isRunning, !isAsleep(.sync) || !isAsleep(.inApp) || process.inApp.isMoving {
            await withCheckedContinuation { settling.append($0) }
        }
        await pageWork.finished()
        await delegateWork.finished()
    }

    /// Lets those who wait for the rest look again.
    func settle() {
        let waiting = settling
        settling = []
        for continuation in waiting {
            continuation.resume()
        }
    }

    /// The loops have ended: nobody who waits gets an answer any more, and nothing stays on the screen.
    func stopped() {
        update { process, effects in
            process.isRunning = false
            process.awaited.endAll(MessageCenterError(.stopped), &effects)
            process.inApp.endShowing(.notForeground, .replaced, &effects)
        }
        settle()
    }

    /// Lets go of the storage; the engine cannot be used again.
    func end() {
        platformEvents = nil
        context.storage.close()
        stopped()
        feeds.finish()
        reporter.finish()
    }
}
