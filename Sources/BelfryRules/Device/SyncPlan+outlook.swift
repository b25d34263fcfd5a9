import Foundation

extension SyncPlan {
    /// When the record may be sent next, and the reason for waiting, including the waits of everything that it depends
    /// on (REG-14).
    public static func registrationOutlook(
        for state: SyncState,
        in situation: SyncSituation,
        now: Date,
        policy: SyncPolicy
    ) -> RegistrationDecision {
        if situation.isResting { return .idle(.resting) }
        if holdsBack(state, record: situation.record, policy: policy) { return .idle(.waitingForContactKey) }
        guard situation.isOnline else { return .idle(.offline) }
        let decision = state.registration.decide(
            situation.recordDigest,
            now: now,
            appState: situation.appState,
            isHurried: situation.isHurried,
            policy: policy.registration
        )
        if case .idle = decision { return decision }
        switch contactOutlook(state, situation, now: now, policy: policy) {
        case .ready, .link, .refresh: return decision
        case .idle(let reason): return .idle(reason)
        case .wait(let until, let reason):
            if case .wait(let later, _) = decision, later > until { return decision }
            return .wait(until: until, reason: reason)
        }
    }

    /// The contact that a registration needs, and the properties that the contact needs.
    private static func contactOutlook(
        _ state: SyncState,
        _ situation: SyncSituation,
        now: Date,
        policy: SyncPolicy
    ) -> LinkDecision {
        guard !state.properties.isSettled else { return state.link.decide(now: now, policy: policy.calls) }
        let hasState = state.clientState != nil
        switch state.properties.decide(situation.propertiesDigest, hasClientState: hasState, now: now) {
        case .send: return .ready
        case .wait(let until, let reason): return .wait(until: until, reason: reason)
        case .notNeeded: return .idle(.waitingForContact)
        }
    }
}
