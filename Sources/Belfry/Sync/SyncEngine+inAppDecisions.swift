import BelfryModel
import BelfryRules
import Foundation

/// What is decided about in-app messages is stored with the events that tell of it, and done after that (IAM-8, IAM-9).
extension SyncEngine {
    /// The messages on the device.
    func shelf() throws(BelfryError) -> InAppShelf {
        if let shelf = inApp.shelf { return shelf }
        let shelf = InAppShelf(try storage.opened().store.inAppMessages())
        inApp.shelf = shelf
        return shelf
    }

    /// The messages on the device with this step.
    func shelf(of draft: StateDraft) throws(BelfryError) -> InAppShelf {
        if let shelf = draft.shelf { return shelf }
        return try shelf()
    }

    /// What is the case when something is decided in this step.
    ///
    /// - Parameter isForeground: nil: as it is now.
    func inAppSituation(
        of draft: StateDraft,
        isForeground: Bool? = nil
    ) throws(BelfryError) -> InAppSituation {
        let record = draft.state.record.reported
        let consent = DeviceConsent(
            hasToken: record.pushToken != nil, pushEnabled: record.pushEnabled, osPushEnabled: record.osPushEnabled
        )
        return InAppSituation(
            candidates: try shelf(of: draft).candidates,
            isForeground: isForeground ?? (appState == .foreground),
            isPaused: inApp.isPaused,
            hasPresenter: platform.inAppPresenter != nil,
            device: TriggerDevice(properties: record.system, isOptedIn: consent.suppression == nil),
            zone: record.system.timeZone.flatMap(ZoneName.init)?.timeZone ?? .gmt,
            clockOffset: draft.state.sync.serverClockOffset ?? 0
        )
    }

    /// Puts decisions into the step that stores them, with the events that tell of them.
    func add(_ decisions: [InAppDecision], to draft: inout StateDraft, now: Date) throws(BelfryError) {
        for decision in decisions {
            switch decision {
            case .load(let ticket): draft.inApp.append(.load(ticket))
            case .notShown(let finding): try add(finding, to: &draft, now: now)
            case .drop(let ticket, let reason): draft.inApp.append(.drop(ticket, reason))
            case .close(let ticket, let reason): try addClosing(ticket, reason, to: &draft, now: now)
            case .run(let ticket): try addRun(ticket, to: &draft, now: now)
            case .assumedShown(let ticket): try addAssumed(ticket, to: &draft, now: now)
            case .present: break
            }
        }
    }

    /// What a message did, unless nothing is recorded (REG-36).
    func addEvent(
        _ name: EventName,
        of message: InAppName,
        _ attributes: [String: AttributeValue] = [:],
        by context: TrackingContext? = nil,
        to draft: inout StateDraft,
        now: Date
    ) throws(BelfryError) {
        guard draft.state.privacy.takesEvents else { return }
        draft.change.events.append(
            try recorder.queued(
                name, of: message, attributes, at: now, context: context ?? draft.state.trackingContext
            )
        )
    }

    /// Told once in a session to the ledger, and each time to the app. What is only delayed will tell of itself.
    private func add(_ finding: InAppFinding, to draft: inout StateDraft, now: Date) throws(BelfryError) {
        var isTold = finding.isFirst
        if case .delayed = finding.reason { isTold = false }
        if isTold {
            let said: [String: AttributeValue] = [
                "reason": .string(finding.reason.code), "sentence": .string(finding.reason.description),
            ]
            let name = InAppName(message: finding.messageID, campaign: finding.campaignID)
            try addEvent(.inAppNotShown, of: name, said, to: &draft, now: now)
        }
        draft.inApp.append(
            .tell(
                InAppDecisionReport(
                    messageID: finding.messageID, campaignID: finding.campaignID, version: finding.version, at: now,
                    outcome: finding.waits ? .waiting : .notShown, reason: finding.reason
                )
            )
        )
    }

    /// It leaves the screen with this step. Of one who has left that is told as theirs, for the last time.
    private func addClosing(
        _ ticket: InAppTicket,
        _ reason: InAppReason,
        to draft: inout StateDraft,
        now: Date
    ) throws(BelfryError) {
        draft.inApp.append(.close(ticket, reason))
        let seconds = draft.state.inApp.closed(ticket, at: now)
        guard let showing = inApp.showing, showing.ticket == ticket else { return }
        let isFormer = reason == .personChanged
        let context = isFormer ? storage.context.withLock { $0 } : nil
        if showing.step == .onScreen {
            try addDismissal(of: showing, .replaced, by: context, to: &draft, now: now)
        } else if isFormer, showing.step == .presenting, seconds == nil {
            try addAssumed(ticket, by: context, to: &draft, now: now)
        }
    }

    /// Nobody knows whether it was seen. It counts, here and on the server.
    private func addAssumed(
        _ ticket: InAppTicket,
        by context: TrackingContext? = nil,
        to draft: inout StateDraft,
        now: Date
    ) throws(BelfryError) {
        let said: [String: AttributeValue] = ["version": .number(Double(ticket.version)), "assumed": .boolean(true)]
        try addEvent(.inAppViewed, of: ticket.name, said, by: context, to: &draft, now: now)
    }

    func addDismissal(
        of showing: InAppShowing,
        _ how: InAppDismissal,
        by context: TrackingContext? = nil,
        to draft: inout StateDraft,
        now: Date
    ) throws(BelfryError) {
        let said: [String: AttributeValue] = [
            "seconds": .number(showing.time.total(at: now)), "how": .string(how.rawValue),
        ]
        try addEvent(.inAppDismiss, of: showing.ticket.name, said, by: context, to: &draft, now: now)
    }

    /// A message that shows nothing counts with this step, and its events are tracked with it. Addresses are opened
    /// after it.
    private func addRun(_ ticket: InAppTicket, to draft: inout StateDraft, now: Date) throws(BelfryError) {
        guard let stored = try storage.opened().store.inAppMessage(ticket.messageID) else { return }
        let message = message(stored, draft.state.inApp)
        try addEvent(.inAppViewed, of: ticket.name, ["version": .number(Double(ticket.version))], to: &draft, now: now)
        for action in (message.content.actions ?? []).prefix(InAppLimits.maximumActions) {
            try add(action, to: &draft, now: now)
        }
        draft.inApp.append(.run(message))
    }

    /// The event that an action asks for, as if the app had tracked it.
    func add(_ action: InAppAction, to draft: inout StateDraft, now: Date) throws(BelfryError) {
        guard action.type == .event, let text = action.name, let name = try? EventName(text),
            draft.state.privacy.takesEvents
        else { return }
        // One that breaks a limit of events is the marketer's fault and stops nothing.
        let event = try? recorder.queued(
            .custom, name, attributes: action.attributes ?? [:], at: now, context: draft.state.trackingContext
        )
        if let event { draft.change.events.append(event) }
    }

    func message(_ stored: StoredInAppMessage, _ rules: InAppRules) -> InAppMessage {
        stored.message(displayCount: rules.impressions.displays(of: stored.candidate))
    }
}
