import BelfryModel
import BelfryRules
import Foundation

extension SyncEngine {
    /// Makes one call: stores that it is about to be made, makes it, and stores what its answer says.
    func perform(_ step: SyncStep, now: Date) async throws(BelfryError) {
        guard let call = try prepare(step, now: now) else { return }
        let device = try state().id
        awaited.underWay = call.purpose.awaited
        let sent = await send(call.request)
        awaited.underWay = []
        guard let answer = sent else { return }
        // Wiped meanwhile: the answer is for an installation that is no more (REG-36).
        guard try state().id == device else { return }
        let badge = try state().sync.badge.badge
        try answered(call.purpose, by: answer)
        if try state().sync.badge.badge != badge { await showBadge() }
        if try state().privacy.rest == .erased { await clearScreen() }
    }

    /// - Returns: nil when the task was cancelled before an answer came: then nothing is known about it.
    private func send(_ request: TransportRequest) async -> DeviceAnswer? {
        do {
            let response = try await transport.send(request)
            return DeviceAnswer(response, now: environment.now())
        } catch {
            return Task.isCancelled ? nil : DeviceAnswer(error, now: environment.now())
        }
    }

    /// Stores what must survive the request, and writes the request.
    ///
    /// - Returns: nil when there is nothing to call for after all.
    private func prepare(_ step: SyncStep, now: Date) throws(BelfryError) -> DeviceCall? {
        var draft = try begun()
        let order = draft.state.sync.nextRequestOrder(now: now)
        let requests = DeviceRequests(
            configuration: configuration,
            deviceID: draft.state.id,
            sync: draft.state.sync,
            order: order,
            now: now
        )
        let call = try makeCall(for: step, draft: &draft, requests: requests, now: now)
        guard call != nil || !draft.change.isEmpty || !draft.answers.isEmpty else { return nil }
        try commit(draft)
        return call
    }

    private func makeCall(
        for step: SyncStep,
        draft: inout StateDraft,
        requests: DeviceRequests,
        now: Date
    ) throws(BelfryError) -> DeviceCall? {
        let record = draft.state.record.reported
        switch step {
        case .sendProperties:
            let digest = StableDigest(properties: record.system, osPushEnabled: record.osPushEnabled)
            draft.state.sync.properties.attempted()
            return DeviceCall(purpose: .properties(digest), request: try requests.properties(record))
        case .link(let link):
            return DeviceCall(purpose: .link(link), request: try requests.link(link))
        case .refreshToken(let refreshToken):
            return DeviceCall(purpose: .refresh, request: try requests.refresh(refreshToken))
        case .putPushToken(let token):
            draft.state.sync.pushToken.attempted()
            let digest = StableDigest(pushToken: token)
            return DeviceCall(purpose: .pushToken(digest), request: try requests.putPushToken(token))
        case .deletePushToken:
            draft.state.sync.pushToken.attempted()
            return DeviceCall(purpose: .pushToken(.removedPushToken), request: requests.deletePushToken())
        case .register:
            return try registration(record, draft: &draft, requests: requests, now: now)
        case .upload(let limit):
            return try upload(limit, draft: &draft, requests: requests)
        case .awaitedCall:
            return try awaitedCall(draft: &draft, requests: requests, now: now)
        case .putMessageState, .fetchCenters, .fetchCenter, .resetBadge, .fetchBadge:
            return try centerCall(for: step, draft: &draft, requests: requests, now: now)
        case .fetchInApp:
            return try inAppCall(draft: &draft, requests: requests)
        case .wait, .idle:
            return nil
        }
    }

    /// The next events that may leave. Those of which nobody knows the contact leave the queue without a call.
    private func upload(
        _ limit: BatchLimit,
        draft: inout StateDraft,
        requests: DeviceRequests
    ) throws(BelfryError) -> DeviceCall? {
        let waiting = try storage.opened().store.nextEvents(limit)
        let state = draft.state
        let isHolding = SyncPlan.holdsBack(state.sync, record: state.record.reported, policy: configuration.syncPolicy)
        let owners = state.sync.link.eventOwners(holdsPresent: isHolding)
        switch EventBatch.next(of: waiting, limit: limit, owners: owners) {
        case .batch(let batch):
            return DeviceCall(purpose: .events(batch), request: requests.events(batch))
        case .strays(let rows):
            draft.takeOut(rows, refused: rows.map { (row: $0, reason: EventOwners.strayReason) })
            return nil
        case .nothing:
            return nil
        }
    }

    private func registration(
        _ record: ContactRecord,
        draft: inout StateDraft,
        requests: DeviceRequests,
        now: Date
    ) throws(BelfryError) -> DeviceCall {
        let digest = draft.state.recordDigest
        let revision = draft.state.sync.registration.attempted(at: now)
        let request = try requests.registration(
            record,
            registrationID: environment.makeUUID(),
            revision: revision
        )
        return DeviceCall(purpose: .registration(digest, revision: revision), request: request)
    }
}
