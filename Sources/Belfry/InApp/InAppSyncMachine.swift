import BelfryModel
import BelfryRules

/// The sync of in-app messages (IAM-3, IAM-4, IAM-10, WIRE-9).
enum InAppSyncMachine {
    static func fetchCall(_ requests: DeviceRequests, in step: inout DeviceStep) throws(BelfryError) -> DeviceCall {
        if step.state.sync.inApp.begin(reader: BelfryVersion.sdk) {
            let unreadable = try step.store.unreadableInAppMessages()
            if !unreadable.isEmpty { step.change.inApp.append(.remove(unreadable)) }
        }
        let schedule = step.state.sync.inApp
        let fetch = InAppFetch(
            generation: schedule.generation, cursor: schedule.cursor, marks: schedule.marks,
            showings: schedule.showings,
            awaited: step.process.awaited.fetches(.fetchInApp)
        )
        return DeviceCall(purpose: .inApp(fetch), request: requests.inAppMessages(since: schedule.cursor))
    }

    static func fetched(
        _ fetch: InAppFetch,
        _ response: ServerResponse,
        in step: inout DeviceStep
    ) throws(BelfryError) {
        var outcome = response.outcome
        if outcome == .accepted {
            if let said = InAppReading(response.body) {
                step.noticeToken(.accepted)
                // A response for a person who has left is dropped; the next fetch is due at once (IAM-11).
                guard fetch.generation == step.state.sync.inApp.generation else { return }
                return try take(said, of: fetch, in: &step)
            }
            outcome = response.misunderstood(now: step.now).outcome
        }
        step.noticeToken(outcome)
        guard fetch.generation == step.state.sync.inApp.generation else { return }
        step.state.sync.inApp.failed(
            outcome, now: step.now, random: step.jitter(), policy: step.configuration.inApp.policy
        )
        // After a 401 the fetch is repeated with a renewed token.
        if case .unauthorized = outcome { return }
        guard let failure = outcome.failure else { return }
        for number in fetch.awaited {
            step.finish(number, .failure(MessageCenterError(failure)))
        }
    }

    /// Stores the messages, their consequences and the cursor in one transaction, so the cursor is never ahead of the
    /// messages.
    private static func take(
        _ said: InAppReading,
        of fetch: InAppFetch,
        in step: inout DeviceStep
    ) throws(BelfryError) {
        ContactMachine.processed(said.registration, in: &step)
        if said.needsPushToken { step.state.sync.pushToken.forgotten() }
        // Messages that ended by the clock during the fetch may be missing, if the clock was wrong: then everything is
        // requested.
        let isWhole = step.state.sync.inApp.cursor == fetch.cursor
        step.state.sync.inApp.succeeded(
            cursor: isWhole ? said.cursor : nil, marks: fetch.marks, showings: fetch.showings, now: step.now
        )
        if !isWhole { step.state.sync.inApp.requestFetch() }
        for number in fetch.awaited {
            step.finish(number, .success(.fetched))
        }
        guard !said.messages.isEmpty || !said.recalled.isEmpty else { return }
        var cache = try InAppMachine.cache(in: &step)
        for candidate in said.recalled.compactMap({ cache.candidate($0) }) {
            step.then(.tellInApp(InAppDecisionReport(removed: candidate, .recalled, at: step.now)))
        }
        cache.remove(said.recalled)
        cache.keep(said.messages)
        let surplus = cache.surplus
        cache.remove(surplus)
        let recalled = Set(said.recalled)
        let ended = step.process.inApp.inlines.end(recalled)
        if !ended.isEmpty { step.then(.endInlines(ended)) }
        step.setCache(cache)
        step.change.inApp += [.remove(said.recalled), .keep(said.messages), .remove(surplus)]
        step.state.inApp.rebase(to: step.now)
        let situation = try InAppMachine.situation(in: &step)
        let policy = step.configuration.inApp.policy
        let decisions = step.state.inApp.messagesChanged(
            recalled: recalled, at: step.now, in: situation, policy: policy
        )
        try InAppMachine.add(decisions, to: &step)
    }
}
