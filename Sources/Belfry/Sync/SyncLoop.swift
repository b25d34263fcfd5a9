import BelfryModel
import BelfryRules
import Foundation

/// The device's communication with the server: it carries out the next step of ``BelfryRules/SyncPlan``, and sleeps
/// until the next one is due or something wakes it. It makes one request at a time.
enum SyncLoop {
    /// Runs the loop; it ends when its task is cancelled.
    static func run(on engine: isolated DeviceEngine) async {
        // If two starts run at the same time, the one that runs the loop may come before the one that listens.
        engine.listenToPlatform()
        let news = MessageCenterNewsDelivery(to: engine.context.platform.messageCenterListener, from: engine.feeds)
        let events = engine.platformEvents
        await withTaskGroup(of: Void.self) { group in
            if let events {
                group.addTask {
                    for await event in events {
                        await engine.lifecycle.happened(event)
                    }
                }
            }
            if let news { group.addTask { await news.run() } }
            group.addTask { await InAppLoop.run(on: engine) }
            while !Task.isCancelled {
                await pass(on: engine)
            }
            group.cancelAll()
        }
        engine.stopped()
    }

    private static func pass(on engine: isolated DeviceEngine) async {
        let generation = engine.signal(of: .sync).generation
        do throws(BelfryError) {
            try engine.step { step throws(BelfryError) in try tidy(in: &step) }
            switch try engine.step({ step throws(BelfryError) in try next(in: &step) }) {
            case .call(let call): try await make(call, on: engine)
            case .again: break
            case .sleep(let until): await sleep(until: until, past: generation, on: engine)
            }
        } catch {
            engine.update { $0.awaited.endAll(MessageCenterError(error), &$1) }
            engine.reporter.failed(error)
            let until = engine.environment.now().addingTimeInterval(60)
            await sleep(until: until, past: generation, on: engine)
        }
    }

    private static func sleep(until: Date, past generation: Int, on engine: isolated DeviceEngine) async {
        engine.process.isHurried = engine.process.appState == .background
        await engine.sleep(.sync, until: until, past: generation)
    }

    /// Handles the passing of time: a clock that was set back, the end of a session, events that are too old.
    private static func tidy(in step: inout DeviceStep) throws(BelfryError) {
        try EventMachine.dropOld(in: &step)
        step.state.sync.rebase(to: step.now)
        let policy = step.configuration.sessionPolicy
        let ended = step.state.session.timePassed(at: step.now, policy: policy)
        try step.add(ended, owner: step.state.sync.link.owner)
        let isDue = step.state.session.nextDue(policy: policy).map { $0 <= step.now } ?? false
        if isDue, step.process.appState == .foreground { step.state.session.seen(at: step.now) }
        step.state.sync.uploads.noticed(try step.store.queueStatus())
        try MessageCenterMachine.dropOldMessages(in: &step)
    }
}

// MARK: - The next step

extension SyncLoop {
    private enum Next: Sendable {
        case call(DeviceCall)
        /// Something was done without a call, so the plan must be checked again.
        case again
        case sleep(until: Date)
    }

    /// Stores everything that must survive the next request, and builds it.
    private static func next(in step: inout DeviceStep) throws(BelfryError) -> Next {
        AwaitedCallMachine.endHopeless(in: &step)
        let situation = try situation(in: step)
        let next = SyncPlan.next(for: step.state.sync, in: situation, now: step.now, policy: step.policy)
        AwaitedCallMachine.endAwaited(when: next, in: &step)
        let sessionEnd = step.state.session.nextDue(policy: step.configuration.sessionPolicy) ?? .distantFuture
        switch next {
        case .wait(let until, _): return .sleep(until: min(until, sessionEnd, try nextExpiry(in: step)))
        case .idle: return .sleep(until: min(sessionEnd, try nextExpiry(in: step)))
        default: break
        }
        let order = step.state.sync.nextRequestOrder(now: step.now)
        let requests = DeviceRequests(
            configuration: step.configuration,
            deviceID: step.state.id,
            sync: step.state.sync,
            order: order,
            now: step.now
        )
        return try call(for: next, requests, in: &step).map { .call($0) } ?? .again
    }

    /// When the next message on the device expires, by the device's clock (MC-17).
    private static func nextExpiry(in step: DeviceStep) throws(BelfryError) -> Date {
        guard step.state.sync.centers.isEnabled, let expiry = try step.store.nextExpiry() else { return .distantFuture }
        let ahead = step.retention.serverTime.timeIntervalSince(step.now)
        return expiry.addingTimeInterval(-ahead)
    }

    /// The present situation.
    static func situation(in step: DeviceStep) throws(BelfryError) -> SyncSituation {
        SyncSituation(
            record: step.state.record.reported,
            recordDigest: step.state.recordDigest,
            queue: try step.store.queueStatus(),
            appState: step.process.appState,
            isOnline: step.process.isOnline,
            isHurried: step.process.isHurried,
            isResting: step.state.privacy.rest != nil,
            pendingState: try step.store.nextPendingState(),
            pendingReport: try step.store.nextReport(),
            isAwaited: step.process.awaited.first != nil
        )
    }

    /// - Returns: nil when there is no longer anything to request.
    private static func call(
        for next: SyncStep,
        _ requests: DeviceRequests,
        in step: inout DeviceStep
    ) throws(BelfryError) -> DeviceCall? {
        switch next {
        case .sendProperties: try ContactMachine.propertiesCall(requests, in: &step)
        case .link(let link): DeviceCall(purpose: .link(link), request: try requests.link(link))
        case .refreshToken(let token): DeviceCall(purpose: .refresh, request: try requests.refresh(token))
        case .putPushToken(let token): try PushTokenMachine.call(token, requests, in: &step)
        case .deletePushToken: try PushTokenMachine.call(nil, requests, in: &step)
        case .register: try ContactMachine.registrationCall(requests, in: &step)
        case .upload(let limit): try EventMachine.uploadCall(limit, requests, in: &step)
        case .awaitedCall: try AwaitedCallMachine.call(requests, in: &step)
        case .putMessageState(let pending): try MessageCenterMachine.stateCall(pending, requests, in: &step)
        case .reportRichContent(let report): MessageCenterMachine.reportCall(report, requests)
        case .fetchInApp: try InAppSyncMachine.fetchCall(requests, in: &step)
        case .fetchCenters: MessageCenterMachine.fetchCall(requests, in: &step)
        case .fetchCenter(let name): MessageCenterMachine.fetchCall(of: name, requests, in: step)
        case .resetBadge: try BadgeMachine.call(.reset, requests, in: &step)
        case .fetchBadge: try BadgeMachine.call(.fetch, requests, in: &step)
        case .wait, .idle: nil
        }
    }
}

// MARK: - Calls and responses

extension SyncLoop {
    /// Makes one call, and stores the result of its response.
    private static func make(_ call: DeviceCall, on engine: isolated DeviceEngine) async throws(BelfryError) {
        let device = try engine.state().id
        engine.process.awaited.underWay = call.purpose.awaited
        let sentAt = engine.environment.now()
        let (networkReturns, openings) = (engine.process.networkReturns, engine.process.openings)
        let sent = await send(call.request, by: engine.transport, engine.environment)
        engine.process.awaited.underWay = []
        guard let response = sent else { return }
        let former = try engine.state()
        // The client was wiped meanwhile: the response is for the previous installation (REG-36).
        guard former.id == device else { return }
        try engine.step { step throws(BelfryError) in
            try answered(call.purpose, by: response, sentAt: sentAt, in: &step)
            // The request was sent before the network came back, or before the app was opened, so its failure does not
            // begin a new wait for the network (REG-7, EVT-5).
            let isReopened = step.process.openings != openings
            if isReopened || step.process.networkReturns != networkReturns { step.state.sync.networkReturned() }
            if isReopened { step.state.sync.appOpened() }
        }
        let present = try engine.state()
        if present.sync.badge.badge != former.sync.badge.badge { await engine.badge.show() }
        if present.privacy.rest == .erased { await engine.badge.clearScreen() }
    }

    /// - Returns: nil when the task was cancelled before a response arrived: then the result of the call is unknown.
    private static func send(
        _ request: TransportRequest,
        by transport: any Transport,
        _ environment: DeviceEnvironment
    ) async -> ServerResponse? {
        do {
            let response = try await transport.send(request)
            return ServerResponse(response, now: environment.now())
        } catch {
            return Task.isCancelled ? nil : ServerResponse(error, now: environment.now())
        }
    }

    /// Applies a response to the state, in one transaction.
    private static func answered(
        _ purpose: DeviceCall.Purpose,
        by response: ServerResponse,
        sentAt: Date,
        in step: inout DeviceStep
    ) throws(BelfryError) {
        let now = step.now
        if let failure = response.outcome.failure, failure.isErasure {
            PrivacyCoordinator.wipe(.erased, in: &step)
            return step.then(.report(.erased))
        }
        step.state.sync.answered(
            clientState: response.clientState, serverTime: response.serverTime, sentAt: sentAt, now: now
        )
        switch purpose {
        case .properties(let digest):
            ContactMachine.propertiesSent(digest, response.expectingNothing(now: now), in: &step)
        case .link(let link): try ContactMachine.linked(link, response, in: &step)
        case .refresh: try ContactMachine.refreshed(response, in: &step)
        case .pushToken(let digest):
            PushTokenMachine.answered(digest, response.expectingNothing(now: now), in: &step)
        case .registration(let digest, let revision):
            ContactMachine.registered(digest, revision: revision, response, in: &step)
        case .events(let batch): EventMachine.uploaded(batch, response.expectingNothing(now: now), in: &step)
        case .centers(let fetch): try MessageCenterMachine.fetched(fetch, response, in: &step)
        case .center(let name, let generation):
            MessageCenterMachine.fetched(name, generation: generation, response, in: &step)
        case .messageState(let pending):
            MessageCenterMachine.stateSent(pending, response.expectingNothing(now: now), in: &step)
        case .badge(let call): BadgeMachine.answered(call, response, in: &step)
        case .richContent(let id, let generation, let awaited):
            MessageCenterMachine.richContentFetched(id, generation: generation, awaited: awaited, response, in: &step)
        case .richReport(let report, let awaited):
            MessageCenterMachine.reported(report, awaited: awaited, response.expectingNothing(now: now), in: &step)
        case .message(let generation, let awaited):
            MessageCenterMachine.messageFetched(generation: generation, awaited: awaited, response, in: &step)
        case .inApp(let fetch): try InAppSyncMachine.fetched(fetch, response, in: &step)
        }
    }
}
