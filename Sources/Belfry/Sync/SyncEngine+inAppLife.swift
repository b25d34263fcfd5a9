import BelfryRules
import Foundation

/// What the life of the app means for in-app messages: sessions, the screen, and whoever uses the device.
extension SyncEngine {
    /// A session that begins may show a message, and makes the messages due (IAM-3, IAM-5). It is judged in the step
    /// that stores it, so a crash loses no occasion.
    ///
    /// - Parameter isForeground: nil: as it is now.
    func judge(
        _ events: [SessionEvent],
        in draft: inout StateDraft,
        now: Date,
        isForeground: Bool? = nil
    ) throws(BelfryError) {
        let happened = events.compactMap(\.triggerEvent)
        guard !happened.isEmpty, draft.state.privacy.takesEvents else { return }
        let begins = events.contains { if case .sessionStart = $0 { true } else { false } }
        if begins { draft.state.sync.inApp.mark() }
        draft.state.inApp.rebase(to: now)
        let situation = try inAppSituation(of: draft, isForeground: isForeground)
        let policy = configuration.inApp.policy
        let decisions =
            begins
            ? draft.state.inApp.sessionStarted(happened, at: now, in: situation, policy: policy)
            : draft.state.inApp.happened(happened, at: now, in: situation, policy: policy)
        try add(decisions, to: &draft, now: now)
        guard begins else { return }
        try judgeInlines(in: &draft, now: now, situation)
        // What the person closed in the last session may come again.
        draft.offersInlines = true
    }

    /// Another contact's messages are shown from now on, and none of the former one's (IAM-11).
    func swapInApp(in draft: inout StateDraft, now: Date) throws(BelfryError) {
        draft.swapInApp()
        let situation = try inAppSituation(of: draft)
        let policy = configuration.inApp.policy
        try add(draft.state.inApp.messagesChanged(at: now, in: situation, policy: policy), to: &draft, now: now)
    }

    /// Takes away what is on the screen, or on its way there, although nobody else has come yet (ID-4).
    func clearInApp(in draft: inout StateDraft, now: Date) throws(BelfryError) {
        guard let ticket = draft.state.inApp.underWay else { return }
        if let showing = inApp.showing, draft.state.inApp.closed(ticket, at: now) != nil {
            try addDismissal(of: showing, .replaced, to: &draft, now: now)
        }
        // What was about to be seen counts, as after a crash.
        try add(draft.state.inApp.launched(), to: &draft, now: now)
        draft.inApp.append(.close(ticket, .personChanged))
    }

    /// The time for which the app is away is none for which a message is to be seen (IAM-9).
    func screenShown(_ isShown: Bool, at now: Date) {
        if inApp.showing?.step == .onScreen {
            if isShown { inApp.showing?.time.begin(at: now) } else { inApp.showing?.time.end(at: now) }
        }
        inApp.inlines.showScreen(isShown, at: now)
        storage.triggers.waker.wake()
    }
}

extension SessionEvent {
    /// As triggers look at it; nil for the end of a session, which nobody sees.
    var triggerEvent: TriggerEvent? {
        switch self {
        case .appStart: TriggerEvent(name: "app:start")
        case .sessionStart: TriggerEvent(name: "session:start")
        case .sessionEnd: nil
        }
    }
}
