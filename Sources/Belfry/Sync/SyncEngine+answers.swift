import BelfryModel
import BelfryRules
import BelfryWire
import Foundation

extension SyncEngine {
    /// Takes an answer into the state, in one transaction.
    func answered(_ purpose: DeviceCall.Purpose, by answer: DeviceAnswer) throws(BelfryError) {
        let now = environment.now()
        if let failure = answer.outcome.failure, failure.isErasure { return try erased() }
        var draft = try begun()
        draft.state.sync.answered(clientState: answer.clientState, serverTime: answer.serverTime, now: now)
        switch purpose {
        case .properties(let digest):
            properties(digest, answer.expectingNothing(now: now), draft: &draft, now: now)
        case .link(let link):
            try linked(link, answer, draft: &draft, now: now)
        case .refresh:
            try refreshed(answer, draft: &draft, now: now)
        case .pushToken(let digest):
            pushToken(digest, answer.expectingNothing(now: now), draft: &draft, now: now)
        case .registration(let digest, let revision):
            registered(digest, revision: revision, answer, draft: &draft, now: now)
        case .events(let batch):
            uploaded(batch, answer.expectingNothing(now: now), draft: &draft, now: now)
        case .centers, .center, .messageState, .badge, .richContent:
            try centersAnswered(purpose, by: answer, draft: &draft, now: now)
        case .inApp(let fetch):
            try inAppFetched(fetch, answer, draft: &draft, now: now)
        }
        try commit(draft)
    }

    private func properties(_ digest: StableDigest, _ answer: DeviceAnswer, draft: inout StateDraft, now: Date) {
        let hasClientState = draft.state.sync.clientState != nil
        let former = draft.state.sync.properties.gate.lastFailure
        draft.state.sync.properties.answered(
            answer.outcome,
            for: digest,
            hasClientState: hasClientState,
            now: now,
            random: environment.jitter(),
            policy: configuration.syncPolicy.calls
        )
        if let failure = refusal(answer.outcome.withoutToken, after: former) {
            draft.reports.append(.propertiesRefused(failure))
        }
    }

    private func linked(
        _ link: PendingLink,
        _ answer: DeviceAnswer,
        draft: inout StateDraft,
        now: Date
    ) throws(BelfryError) {
        let (value, read) = answer.reading(ContactLinkAnswer.self, now: now)
        guard let tokens = value else {
            let former = draft.state.sync.link.linkGate.lastFailure
            draft.state.sync.link.linkFailed(
                read.outcome,
                for: link,
                now: now,
                random: environment.jitter(),
                policy: configuration.syncPolicy.calls
            )
            if let failure = refusal(read.outcome.withoutToken, after: former) {
                draft.reports.append(.linkRefused(failure))
            }
            return
        }
        draft.state.sync.link.linkSucceeded(
            link,
            tokens: ContactTokens(contactToken: tokens.contactToken, refreshToken: tokens.refreshToken),
            reference: tokens.contactReference
        )
        draft.state.marks.linked(tokens.contactReference, owner: link.owner)
        draft.state.inApp.linked(tokens.contactReference, owner: link.owner)
        // The token of an identity provider is kept only until here, in the file's log, too (ID-3).
        if link.proof != nil { draft.change.scrubs = true }
        let store = try storage.opened().store
        let owner = draft.state.sync.link.owner
        let oldest = min(try store.queueStatus().oldestOwner ?? owner, try store.pendingStates().lowestOwner ?? owner)
        draft.state.sync.link.forgetOwners(below: oldest)
    }

    private func refreshed(_ answer: DeviceAnswer, draft: inout StateDraft, now: Date) throws(BelfryError) {
        let (token, read) = answer.reading(ContactTokenAnswer.self, now: now)
        if let token {
            draft.state.sync.link.refreshed(contactToken: token.contactToken)
            return
        }
        let formerOwner = draft.state.sync.link.owner
        let isForgotten = draft.state.sync.link.refreshFailed(
            read.outcome,
            now: now,
            random: environment.jitter(),
            policy: configuration.syncPolicy.calls
        )
        guard isForgotten else { return }
        draft.state.sync.forgotten(now: now)
        guard draft.state.sync.link.owner != formerOwner else { return }
        // The contact was proven by a token that is no longer kept (ID-3).
        draft.reports.append(.openIDTokenNeeded)
        try handSessionOver(from: formerOwner, in: &draft, now: now)
    }

    private func pushToken(_ digest: StableDigest, _ answer: DeviceAnswer, draft: inout StateDraft, now: Date) {
        noticeToken(answer.outcome, draft: &draft, now: now)
        draft.state.sync.pushToken.answered(
            answer.outcome,
            for: digest,
            now: now,
            random: environment.jitter(),
            policy: configuration.syncPolicy.calls
        )
        if case .refused(let failure) = answer.outcome { draft.reports.append(.pushTokenRefused(failure)) }
    }

    private func registered(
        _ digest: StableDigest,
        revision: Int64,
        _ answer: DeviceAnswer,
        draft: inout StateDraft,
        now: Date
    ) {
        let (receipt, read) = answer.reading(RegistrationAnswer.self, now: now)
        noticeToken(read.outcome, draft: &draft, now: now)
        let current = draft.state.recordDigest
        if let receipt {
            draft.state.sync.registration.succeeded(
                digest,
                sent: revision,
                serverRevision: receipt.revision,
                current: current
            )
            return
        }
        draft.state.sync.registration.failed(
            read.outcome,
            for: digest,
            now: now,
            random: environment.jitter(),
            policy: configuration.syncPolicy.registration
        )
        if case .refused(let failure) = read.outcome { draft.reports.append(.registrationRefused(failure)) }
    }

    private func uploaded(_ batch: EventBatch, _ answer: DeviceAnswer, draft: inout StateDraft, now: Date) {
        noticeToken(answer.outcome, draft: &draft, now: now)
        let verdict = draft.state.sync.uploads.answered(
            answer.outcome,
            batchCount: batch.rows.count,
            now: now,
            random: environment.jitter(),
            policy: configuration.uploads
        )
        switch verdict {
        case .stored:
            let said = try? CheckedJSON.answer(EventBatchAnswer.self, answer.body)
            settle(batch, rejected: said?.rejected ?? [], draft: &draft)
        case .setAside(let reason):
            settle(batch, rejected: [RejectedEvent(index: 0, reason: reason)], draft: &draft)
        case .heldBack:
            if let failure = answer.outcome.failure { draft.reports.append(.eventsRefused(failure)) }
        case .kept:
            break
        }
    }

    /// Takes the batch out of the queue; what was refused is kept aside with its reason (EVT-4).
    private func settle(_ batch: EventBatch, rejected: [RejectedEvent], draft: inout StateDraft) {
        let refused = rejected.filter { batch.rows.indices.contains($0.index) }
            .map { event in
                (row: batch.rows[event.index], reason: String(event.reason.prefix(CallFailure.maximumMessageLength)))
            }
        draft.takeOut(batch.rows, refused: refused)
    }

    /// What the app is to hear of: a refusal, and once in a row that the server does not know the app.
    private func refusal(_ outcome: CallOutcome, after former: CallFailure?) -> CallFailure? {
        if case .refused(let failure) = outcome { return failure }
        guard let failure = outcome.failure, failure.isUnknownApp, former?.isUnknownApp != true else { return nil }
        return failure
    }

    /// What any call with a contact token says about the token (ID-6).
    func noticeToken(_ outcome: CallOutcome, draft: inout StateDraft, now: Date) {
        switch outcome {
        case .accepted:
            draft.state.sync.link.tokenProved()
        case .unauthorized(let failure):
            draft.state.sync.link.tokenRefused(
                failure,
                now: now,
                random: environment.jitter(),
                policy: configuration.syncPolicy.calls
            )
        case .refused, .failed:
            break
        }
    }
}
