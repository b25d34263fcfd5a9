import BelfryModel
import BelfryRules
import Foundation

/// The sync of in-app messages (IAM-3, IAM-4, IAM-10, WIRE-9).
extension SyncEngine {
    func inAppCall(draft: inout StateDraft, requests: DeviceRequests) throws(BelfryError) -> DeviceCall {
        if draft.state.sync.inApp.begin(reader: BelfryVersion.sdk) {
            let unreadable = try storage.opened().store.unreadableInAppMessages()
            if !unreadable.isEmpty { draft.change.inApp.append(.remove(unreadable)) }
        }
        let schedule = draft.state.sync.inApp
        let fetch = InAppFetch(
            generation: schedule.generation, cursor: schedule.cursor, marks: schedule.marks,
            showings: schedule.showings,
            awaited: awaited.fetches(.fetchInApp)
        )
        return DeviceCall(purpose: .inApp(fetch), request: requests.inAppMessages(since: schedule.cursor))
    }

    func inAppFetched(
        _ fetch: InAppFetch,
        _ answer: DeviceAnswer,
        draft: inout StateDraft,
        now: Date
    ) throws(BelfryError) {
        var outcome = answer.outcome
        if outcome == .accepted {
            if let said = InAppReading(answer.body) {
                noticeToken(.accepted, draft: &draft, now: now)
                // What comes for somebody who has left is dropped; the next fetch is due at once (IAM-11).
                guard fetch.generation == draft.state.sync.inApp.generation else { return }
                return try take(said, of: fetch, draft: &draft, now: now)
            }
            outcome = answer.misunderstood(now: now).outcome
        }
        noticeToken(outcome, draft: &draft, now: now)
        guard fetch.generation == draft.state.sync.inApp.generation else { return }
        draft.state.sync.inApp.failed(
            outcome, now: now, random: environment.jitter(), policy: configuration.inApp.policy
        )
        // After a 401 it is asked again by a renewed token.
        if case .unauthorized = outcome { return }
        guard let failure = outcome.failure else { return }
        for number in fetch.awaited {
            draft.answer(number, .failure(MessageCenterError(failure)))
        }
    }

    /// The messages, what they change and the cursor are one transaction: a cursor never says more than the device has.
    private func take(
        _ said: InAppReading,
        of fetch: InAppFetch,
        draft: inout StateDraft,
        now: Date
    ) throws(BelfryError) {
        // What has left by the clock during the fetch may be missing, if the clock was wrong: everything is asked for.
        let isWhole = draft.state.sync.inApp.cursor == fetch.cursor
        draft.state.sync.inApp.succeeded(
            cursor: isWhole ? said.cursor : nil, marks: fetch.marks, showings: fetch.showings, now: now
        )
        if !isWhole { draft.state.sync.inApp.mark() }
        for number in fetch.awaited {
            draft.answer(number, .success(.fetched))
        }
        guard !said.messages.isEmpty || !said.recalled.isEmpty else { return }
        var shelf = try shelf(of: draft)
        for candidate in said.recalled.compactMap({ shelf.candidate($0) }) {
            draft.inApp.append(.tell(InAppDecisionReport(removed: candidate, .recalled, at: now)))
        }
        shelf.remove(said.recalled)
        shelf.keep(said.messages)
        let surplus = shelf.surplus
        shelf.remove(surplus)
        draft.shelf = shelf
        draft.change.inApp += [.remove(said.recalled), .keep(said.messages), .remove(surplus)]
        draft.state.inApp.rebase(to: now)
        let situation = try inAppSituation(of: draft)
        let policy = configuration.inApp.policy
        let recalled = Set(said.recalled)
        draft.recalledInApp = recalled
        let decisions = draft.state.inApp.messagesChanged(
            recalled: recalled, at: now, in: situation, policy: policy
        )
        try add(decisions, to: &draft, now: now)
    }
}
