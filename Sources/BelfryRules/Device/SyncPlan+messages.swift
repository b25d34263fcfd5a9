import BelfryModel
import Foundation

/// In-app messages, message centers and the badge come after the registration and before the events: first the person's
/// own changes, then what the server has for them, beginning with messages that may be shown next.
extension SyncPlan {
    static func centerStep(
        _ state: SyncState,
        _ situation: SyncSituation,
        now: Date,
        policy: SyncPolicy,
        outlook: inout Outlook
    ) -> SyncStep? {
        if let pending = situation.pendingState,
            let step = outlook.take(
                state.messageStates.decide(pending, now: now), step: .putMessageState(pending)
            )
        {
            return step
        }
        if let report = situation.pendingReport,
            let step = outlook.take(state.richContent.decide(report, now: now), step: .reportRichContent(report))
        {
            return step
        }
        let badge = state.badge.decide(now: now)
        // Before a fetch, which would show the former person's number again.
        if badge == .reset { return .resetBadge }
        let inApp = state.inApp.decide(now: now, appState: situation.appState, policy: policy.inApp)
        if let step = outlook.take(inApp, step: .fetchInApp) { return step }
        let fetch = state.centers.decide(now: now, appState: situation.appState, policy: policy.centers)
        if let step = outlook.take(fetch, step: .fetchCenters) { return step }
        if let name = state.centers.nextUnlisted(now: now) { return .fetchCenter(name) }
        switch badge {
        case .fetch: return .fetchBadge
        case .wait(let until, let reason): outlook.wait(until: until, reason: reason)
        case .reset, .notNeeded: break
        }
        return nil
    }
}
