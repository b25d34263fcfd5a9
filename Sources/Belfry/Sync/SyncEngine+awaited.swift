import BelfryModel
import BelfryRules
import Foundation

/// Calls whose answers somebody waits for. The loop makes them in their turn, as soon as the contact is settled; when
/// something else would have to be waited for, they fail at once.
extension SyncEngine {
    /// - Returns: the answer, once what it says is stored.
    func ask(_ kind: AwaitedCall.Kind) async throws(MessageCenterError) -> AwaitedCall.Answer {
        let current = try presentState()
        let generation =
            switch kind {
            case .setBadge: current.sync.badge.generation
            case .richContent, .fetchCenters: current.sync.centers.generation
            case .fetchInApp: current.sync.inApp.generation
            }
        guard isRunning else { throw .notStarted }
        guard !Task.isCancelled else { throw .cancelled }
        let number = awaited.nextNumber()
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                awaited.add(
                    AwaitedCall(number: number, kind: kind, generation: generation, continuation: continuation)
                )
                waker.wake()
            }
        } onCancel: {
            Task { await self.cancelAwaited(number) }
        }
        return try outcome.get()
    }

    private func cancelAwaited(_ number: Int) {
        awaited.cancel(number)
    }

    /// The state of a client that neither rests nor was stopped.
    func presentState() throws(MessageCenterError) -> DeviceState {
        let current: DeviceState
        do throws(BelfryError) {
            _ = try storage.opened()
            current = try state()
        } catch {
            throw MessageCenterError(error)
        }
        if let rest = current.privacy.rest { throw MessageCenterError(rest.refusal) }
        return current
    }

    /// What was asked for a person who has left is not asked for the next one (MC-12).
    func endStrangers() throws(BelfryError) {
        guard awaited.first != nil else { return }
        let sync = try state().sync
        let left = MessageCenterError(.noContact, "Another person uses the device by now.")
        let off = MessageCenterError.notEnabledYet
        awaited.endAll(sync.centers.isEnabled ? left : off) { call in
            switch call.kind {
            case .richContent: call.generation != sync.centers.generation
            case .fetchCenters: !sync.centers.isEnabled
            case .setBadge, .fetchInApp: false
            }
        }
        awaited.endAll(left) { call in
            switch call.kind {
            case .setBadge: call.generation != sync.badge.generation
            case .fetchInApp: call.generation != sync.inApp.generation
            case .richContent, .fetchCenters: false
            }
        }
    }

    /// Nobody waits for a network, a back-off or a person: they hear at once why it cannot be now.
    func endAwaited(when step: SyncStep) throws(BelfryError) {
        guard awaited.first != nil else { return }
        switch step {
        case .idle(.offline):
            awaited.endAll(.offline)
        case .idle(.waitingForContact), .idle(.waitingForContactKey):
            awaited.endAll(MessageCenterError(.noContact, "The device is not linked to a contact yet."))
        case .wait, .idle:
            guard let failure = try state().sync.contactFailure else {
                return awaited.endAll(MessageCenterError(.noContact, "The device is not linked to a contact yet."))
            }
            awaited.endAll(MessageCenterError(failure))
        default: break
        }
    }

    /// As long as the server asks for patience it is not asked again, whoever waits: they hear what it said.
    func endImpatient(now: Date) throws(BelfryError) {
        guard awaited.first != nil else { return }
        let sync = try state().sync
        if let failure = sync.centers.gate.patience(now: now) {
            awaited.endAll(MessageCenterError(failure)) { $0.kind == .fetchCenters }
        }
        if let failure = sync.inApp.gate.patience(now: now) {
            awaited.endAll(MessageCenterError(failure)) { $0.kind == .fetchInApp }
        }
        guard let failure = sync.badge.gate.patience(now: now) else { return }
        awaited.endAll(MessageCenterError(failure)) { call in
            guard case .setBadge = call.kind else { return false }
            return true
        }
    }

    /// The call for which somebody has waited longest.
    ///
    /// - Returns: nil when what is wanted is here by now.
    func awaitedCall(
        draft: inout StateDraft,
        requests: DeviceRequests,
        now: Date
    ) throws(BelfryError) -> DeviceCall? {
        guard let call = awaited.first else { return nil }
        switch call.kind {
        case .richContent(let id):
            return try richContentCall(id, for: call, draft: &draft, requests: requests, now: now)
        case .setBadge(let count):
            // After a set without an answer the server is asked first: this one may look like its repetition (BADGE-5).
            let kind: BadgeCall.Kind = draft.state.sync.badge.isUncertain ? .fetch : .set
            return try badgeCall(kind, count: count, awaited: call.number, draft: &draft, requests: requests)
        case .fetchCenters:
            return fetchCall(draft: &draft, requests: requests, now: now)
        case .fetchInApp:
            return try inAppCall(draft: &draft, requests: requests)
        }
    }

    /// What a stored step has to say to those who listen, and to one who waits.
    func tell(_ draft: StateDraft) {
        if draft.purgesFeed { centerFeed.purge() }
        if let response = draft.news?.response { centerFeed.tell(response) }
        if let update = draft.news?.update { centerFeed.tell(update) }
        for answer in draft.answers {
            awaited.end(answer.number, answer.outcome)
        }
    }
}

extension MessageCenterError {
    static let cancelled = MessageCenterError(.cancelled, "The task that waited was cancelled before the call left.")
    static let notStarted = MessageCenterError(.invalidURL, "The client was not started; start it first.")
    static let offline = MessageCenterError(.noNetwork, "There is no network.")
    static let notEnabledYet = MessageCenterError(
        .notEnabled, "The message center is off; setMessageCenterEnabled(true) turns it on."
    )

    /// The client rests.
    init(_ refusal: Refusal) {
        self.init(.resting, refusal.message)
    }
}
