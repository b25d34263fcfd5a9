import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

/// The calls about messages, and what their answers mean (MC-4, MC-10 to MC-13).
extension SyncEngine {
    func centerCall(
        for step: SyncStep,
        draft: inout StateDraft,
        requests: DeviceRequests,
        now: Date
    ) throws(BelfryError) -> DeviceCall? {
        switch step {
        case .fetchCenters:
            return fetchCall(draft: &draft, requests: requests, now: now)
        case .fetchCenter(let name):
            let purpose = DeviceCall.Purpose.center(name, generation: draft.state.sync.centers.generation)
            return DeviceCall(purpose: purpose, request: requests.center(name))
        case .putMessageState(let pending):
            return try stateCall(pending, draft: &draft, requests: requests)
        case .resetBadge:
            return try badgeCall(.reset, draft: &draft, requests: requests)
        case .fetchBadge:
            return try badgeCall(.fetch, draft: &draft, requests: requests)
        default:
            return nil
        }
    }

    func fetchCall(
        draft: inout StateDraft,
        requests: DeviceRequests,
        now: Date
    ) -> DeviceCall {
        draft.state.sync.centers.attempted(at: now)
        let request = requests.centers()
        let fetch = CenterFetch(
            generation: draft.state.sync.centers.generation,
            marks: draft.state.sync.centers.marks,
            url: configuration.url(ofPath: request.path),
            badgeRevision: draft.state.sync.badge.badge.revision,
            awaited: awaited.fetches(.fetchCenters)
        )
        return DeviceCall(purpose: .centers(fetch), request: request)
    }

    /// A state belongs to the contact whose message it is, whoever uses the device by now (ID-7). One of which nobody
    /// knows the contact any more is given up.
    private func stateCall(
        _ pending: PendingMessageState,
        draft: inout StateDraft,
        requests: DeviceRequests
    ) throws(BelfryError) -> DeviceCall? {
        let owners = draft.state.sync.link.eventOwners(holdsPresent: false)
        guard case .leaves(let reference) = owners.fate(of: pending.owner) else {
            draft.change.centers.append(.settle(pending))
            return nil
        }
        return DeviceCall(
            purpose: .messageState(pending),
            request: try requests.messageState(pending, reference: reference)
        )
    }

    /// Takes an answer about messages or the badge into the state.
    func centersAnswered(
        _ purpose: DeviceCall.Purpose,
        by answer: DeviceAnswer,
        draft: inout StateDraft,
        now: Date
    ) throws(BelfryError) {
        switch purpose {
        case .centers(let fetch):
            try fetched(fetch, answer, draft: &draft, now: now)
        case .center(let name, let generation):
            let read = answer.reading(CenterMessagesAnswer.self, now: now).answer
            noticeToken(read.outcome, draft: &draft, now: now)
            guard generation == draft.state.sync.centers.generation else { return }
            draft.state.sync.centers.answered(name, read.outcome)
        case .messageState(let pending):
            stateTold(pending, answer.expectingNothing(now: now), draft: &draft, now: now)
        case .badge(let call):
            badgeAnswered(call, answer, draft: &draft, now: now)
        case .richContent(let id, let generation, let awaited):
            richContentAnswered(id, generation, awaited: awaited, answer, draft: &draft, now: now)
        default: break
        }
    }

    private func fetched(
        _ fetch: CenterFetch,
        _ answer: DeviceAnswer,
        draft: inout StateDraft,
        now: Date
    ) throws(BelfryError) {
        var outcome = answer.outcome
        var flaw: AnswerFlaw?
        if outcome == .accepted {
            switch CenterReading(answer.body) {
            case .read(let said, let messages):
                noticeToken(.accepted, draft: &draft, now: now)
                // What comes for somebody who has left is dropped; the next fetch is due at once (MC-12).
                guard fetch.generation == draft.state.sync.centers.generation else { return }
                return try take(said, messages, of: fetch, body: answer.body, draft: &draft, now: now)
            case .flawed(let found):
                flaw = found
                outcome = answer.misunderstood(now: now).outcome
            }
        }
        noticeToken(outcome, draft: &draft, now: now)
        guard fetch.generation == draft.state.sync.centers.generation else { return }
        draft.state.sync.centers.failed(
            outcome,
            flaw: flaw,
            now: now,
            random: environment.jitter(),
            policy: configuration.syncPolicy.centers
        )
        if case .unauthorized = outcome { return }
        guard let error = fetchError(of: draft.state.sync.centers) else { return }
        for number in fetch.awaited { draft.answer(number, .failure(error)) }
    }

    /// The answer is the truth of all centres (MC-5).
    private func take(
        _ said: MessageCentersAnswer,
        _ messages: [StoredCenterMessage],
        of fetch: CenterFetch,
        body: Data,
        draft: inout StateDraft,
        now: Date
    ) throws(BelfryError) {
        let former = try storage.opened().store.centerMessageIDs()
        let listed = ListedMessageCenter.all(of: said)
        draft.state.sync.centers.succeeded(
            listed: listed.map(\.name), labels: ListedMessageCenter.labels(of: listed), marks: fetch.marks, now: now
        )
        draft.change.centers.append(.replace(messages, fetchedAt: now))
        // While a reset is owed it is the number of a person who has left.
        if let badge = said.badge, configuration.badgesEnabled, !draft.state.sync.badge.owesReset {
            draft.state.sync.badge.answered(badge, askedAt: fetch.badgeRevision)
        }
        let new = Set(messages.filter { !former.contains($0.id) }.map(\.center)).sorted()
        draft.news = CenterNews(
            update: new.isEmpty ? nil : MessageCenterUpdate(centers: new),
            response: fetch.url.map { MessageCenterResponse(json: body, url: $0) }
        )
        for number in fetch.awaited { draft.answer(number, .success(.fetched)) }
    }

    private func stateTold(
        _ pending: PendingMessageState,
        _ answer: DeviceAnswer,
        draft: inout StateDraft,
        now: Date
    ) {
        noticeToken(answer.outcome, draft: &draft, now: now)
        let verdict = draft.state.sync.messageStates.answered(
            answer.outcome,
            now: now,
            random: environment.jitter(),
            policy: configuration.syncPolicy.calls
        )
        guard verdict != .kept else { return }
        draft.change.centers.append(.settle(pending))
    }
}

extension BelfryConfiguration {
    /// The address of a request (MC-11).
    func url(ofPath path: String) -> URL? {
        URLText.url(serverURL.origin + path)
    }
}
