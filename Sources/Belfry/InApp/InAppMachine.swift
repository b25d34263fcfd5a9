import BelfryModel
import BelfryRules
import Foundation

/// Applies the decisions of ``InAppRules`` to a step: with the events that report them, and their effects (IAM-8,
/// IAM-9).
enum InAppMachine {
    /// The messages on the device, as of this step.
    static func cache(in step: inout DeviceStep) throws(BelfryError) -> InAppCache {
        if let cache = step.process.inApp.cache { return cache }
        let cache = InAppCache(try step.store.inAppMessages())
        step.process.inApp.cache = cache
        return cache
    }

    /// The situation for decisions in this step.
    static func situation(in step: inout DeviceStep) throws(BelfryError) -> InAppSituation {
        let record = step.state.record.reported
        let consent = DeviceConsent(
            hasToken: record.pushToken != nil, pushEnabled: record.pushEnabled, osPushEnabled: record.osPushEnabled
        )
        return InAppSituation(
            candidates: try cache(in: &step).candidates,
            isForeground: step.process.appState == .foreground,
            isPaused: step.process.inApp.isPaused,
            hasPresenter: step.context.platform.inAppPresenter != nil,
            device: TriggerDevice(properties: record.system, isOptedIn: consent.isOptedIn),
            zone: record.system.timeZone.flatMap(ZoneName.init)?.timeZone ?? .gmt,
            clockOffset: step.state.sync.serverClockOffset ?? 0
        )
    }

    /// A message as of this step.
    static func message(_ id: String, in step: DeviceStep) throws(BelfryError) -> InAppMessage? {
        for change in step.change.inApp.reversed() {
            switch change {
            case .purge: return nil
            case .remove(let ids): if ids.contains(id) { return nil }
            case .keep(let messages):
                if let kept = messages.last(where: { $0.id == id }) { return message(kept, step.state.inApp) }
            }
        }
        return try step.store.inAppMessage(id).map { message($0, step.state.inApp) }
    }

    static func message(_ stored: StoredInAppMessage, _ rules: InAppRules) -> InAppMessage {
        stored.message(displayCount: rules.impressions.displays(of: stored.candidate))
    }

    /// Messages are fetched from now on, because the app can show them, or asked for them (IAM-3).
    static func want(in step: inout DeviceStep) {
        guard !step.state.sync.inApp.isEnabled, step.state.privacy.rest == nil else { return }
        step.state.sync.inApp.setEnabled(true)
        step.then(.wake)
    }
}

// MARK: - Decisions

extension InAppMachine {
    static func add(_ decisions: [InAppDecision], to step: inout DeviceStep) throws(BelfryError) {
        for decision in decisions {
            switch decision {
            case .load(let id): beginPresentation(id, in: &step)
            case .notShown(let finding): try add(finding, to: &step)
            case .drop(let id, let reason): endPresentation(id, reason, in: &step)
            case .close(let id, let reason): try close(id, reason, in: &step)
            case .run(let id): try run(id, in: &step)
            case .assumedShown(let id): try addAssumed(id, to: &step)
            case .present: break
            }
        }
    }

    /// Reports why a message is not shown: once in a session to the ledger, and each time to the app. A delay is not
    /// reported, because the message will be decided about again.
    private static func add(_ finding: InAppNotShown, to step: inout DeviceStep) throws(BelfryError) {
        var isReported = finding.isFirst
        if case .delayed = finding.reason { isReported = false }
        if isReported {
            let said: [String: AttributeValue] = [
                "reason": .string(finding.reason.code), "sentence": .string(finding.reason.description),
            ]
            let name = InAppName(message: finding.messageID, campaign: finding.campaignID)
            try addEvent(.inAppNotShown, of: name, said, to: &step)
        }
        let report = InAppDecisionReport(
            messageID: finding.messageID, campaignID: finding.campaignID, version: finding.version, at: step.now,
            outcome: finding.waits ? .waiting : .notShown, reason: finding.reason
        )
        step.then(.tellInApp(report))
    }

    private static func beginPresentation(_ id: InAppPresentationID, in step: inout DeviceStep) {
        var askers: [ActiveInAppPresentation.Asker] = []
        // The message was edited while it was loaded: callers that asked for it wait for the new version.
        if let former = step.process.inApp.presentation, former.id.messageID == id.messageID {
            askers = former.askers
            step.process.inApp.presentation?.askers = []
        }
        step.endPresentation(.edited)
        guard let message = try? message(id.messageID, in: step) else {
            // The loop will find the message, which is due but has no presentation.
            step.then(.finishAskers(askers, .loadFailed))
            return step.then(.wakeInApp)
        }
        let number = step.process.inApp.nextNumber()
        step.process.inApp.presentation = ActiveInAppPresentation(
            number: number, id: id, message: message, askers: askers)
        step.then(.showInApp(number))
    }

    private static func endPresentation(_ id: InAppPresentationID, _ reason: InAppReason, in step: inout DeviceStep) {
        guard step.process.inApp.presentation?.id == id else { return }
        step.endPresentation(reason)
    }

    /// The message leaves the screen with this step. If its person has left, this is their last reported event.
    private static func close(
        _ id: InAppPresentationID,
        _ reason: InAppReason,
        in step: inout DeviceStep
    ) throws(BelfryError) {
        let seconds = step.state.inApp.closed(id, at: step.now)
        if let presentation = step.process.inApp.presentation, presentation.id == id {
            let isFormer = reason == .personChanged
            let context = isFormer ? step.context.storage.context.withLock { $0 } : nil
            if presentation.step == .onScreen {
                try addDismissal(presentation.time, of: id.name, .replaced, by: context, to: &step)
            } else if isFormer, presentation.step == .presenting, seconds == nil {
                try addAssumed(id, by: context, to: &step)
            }
        }
        endPresentation(id, reason, in: &step)
    }

    /// Runs a message of type `action`: it counts with this step, and its events are tracked with it. Addresses are
    /// opened after it.
    private static func run(_ id: InAppPresentationID, in step: inout DeviceStep) throws(BelfryError) {
        guard let message = try message(id.messageID, in: step) else { return }
        try addEvent(.inAppViewed, of: id.name, ["version": .number(Double(id.version))], to: &step)
        for action in (message.content.actions ?? []).prefix(InAppLimits.maximumActions) {
            try add(action, to: &step)
            step.then(.runAction(action, of: message, buttonID: nil))
        }
    }
}

// MARK: - Events

extension InAppMachine {
    /// Queues an event about a message, unless tracking is off (REG-36).
    static func addEvent(
        _ name: EventName,
        of message: InAppName,
        _ attributes: [String: AttributeValue] = [:],
        by context: TrackingContext? = nil,
        to step: inout DeviceStep
    ) throws(BelfryError) {
        guard step.state.privacy.takesEvents else { return }
        let context = context ?? step.state.trackingContext
        let event = try step.recorder.queued(name, of: message, attributes, at: step.now, context: context)
        step.change.events.append(event)
    }

    /// Reports a display of which it is not known whether the person saw it. It counts, here and on the server.
    private static func addAssumed(
        _ id: InAppPresentationID,
        by context: TrackingContext? = nil,
        to step: inout DeviceStep
    ) throws(BelfryError) {
        let said: [String: AttributeValue] = ["version": .number(Double(id.version)), "assumed": .boolean(true)]
        try addEvent(.inAppViewed, of: id.name, said, by: context, to: &step)
    }

    static func addDismissal(
        _ time: ScreenTime,
        of message: InAppName,
        _ how: InAppDismissal,
        by context: TrackingContext? = nil,
        to step: inout DeviceStep
    ) throws(BelfryError) {
        let said: [String: AttributeValue] = [
            "seconds": .number(time.total(at: step.now)), "how": .string(how.rawValue),
        ]
        try addEvent(.inAppDismiss, of: message, said, by: context, to: &step)
    }

    /// Adds the click, and the event that its action tracks.
    static func add(_ tap: InAppTap, on message: InAppName, to step: inout DeviceStep) throws(BelfryError) {
        if tap.isClick {
            let said: [String: AttributeValue] = tap.buttonID.map { ["buttonId": .string($0)] } ?? [:]
            try addEvent(.inAppClick, of: message, said, to: &step)
        }
        if let action = tap.action { try add(action, to: &step) }
    }

    /// The event that an action tracks, as if the app had tracked it.
    private static func add(_ action: InAppAction, to step: inout DeviceStep) throws(BelfryError) {
        guard action.type == .event, let text = action.name, let name = try? EventName(text),
            step.state.privacy.takesEvents
        else { return }
        // An event beyond a limit is the marketer's mistake and must not stop anything.
        let event = try? step.recorder.queued(
            .custom, name, attributes: action.attributes ?? [:], at: step.now, context: step.state.trackingContext
        )
        if let event { step.change.events.append(event) }
    }
}

// MARK: - Sessions and persons

extension InAppMachine {
    /// Evaluates the beginning of a session, which may trigger a message and makes a fetch due (IAM-3, IAM-5). This
    /// happens in the step that stores the session, so a crash loses no trigger.
    static func judge(_ events: [SessionEvent], in step: inout DeviceStep) throws(BelfryError) {
        let happened = events.compactMap(\.triggerEvent)
        guard !happened.isEmpty, step.state.privacy.takesEvents else { return }
        let begins = events.contains { if case .sessionStart = $0 { true } else { false } }
        if begins { step.state.sync.inApp.requestFetch() }
        step.state.inApp.rebase(to: step.now)
        let situation = try situation(in: &step)
        let policy = step.configuration.inApp.policy
        let decisions =
            begins
            ? step.state.inApp.sessionStarted(happened, at: step.now, in: situation, policy: policy)
            : step.state.inApp.happened(happened, at: step.now, in: situation, policy: policy)
        try add(decisions, to: &step)
        guard begins else { return }
        try InlineMachine.judge(in: &step, situation)
        // A message that the person closed in the last session may be shown again.
        step.then(.offerInlines)
    }

    /// Another person uses the device from now on.
    static func personChanged(in step: inout DeviceStep) throws(BelfryError) {
        let decisions = step.state.inApp.personChanged(owner: step.state.sync.link.owner, at: step.now)
        try add(decisions, to: &step)
        step.then(.forgetTriggers)
    }

    /// From now on another contact's messages are shown, and none of the former one's (IAM-11).
    static func contactChanged(in step: inout DeviceStep) throws(BelfryError) {
        step.state.sync.inApp.contactChanged()
        step.change.inApp = [.purge]
        forgetAll(in: &step)
        let situation = try situation(in: &step)
        let policy = step.configuration.inApp.policy
        try add(step.state.inApp.messagesChanged(at: step.now, in: situation, policy: policy), to: &step)
    }

    /// Removes all messages from memory, from the app's views and from the streams to the app.
    static func forgetAll(in step: inout DeviceStep) {
        step.then(.purgeInAppFeed)
        step.then(.endInlines(step.process.inApp.inlines.end()))
        step.setCache(InAppCache())
    }

    /// Removes a message that is on the screen or about to be shown, although no other person has come yet (ID-4).
    static func clear(in step: inout DeviceStep) throws(BelfryError) {
        guard let id = step.state.inApp.underWay else { return }
        if let presentation = step.process.inApp.presentation, step.state.inApp.closed(id, at: step.now) != nil {
            try addDismissal(presentation.time, of: presentation.id.name, .replaced, to: &step)
        }
        // A message that was about to be shown counts as shown, as after a crash.
        try add(step.state.inApp.launched(), to: &step)
        endPresentation(id, .personChanged, in: &step)
    }

    /// The time for which the app is in the background does not count as time on the screen (IAM-9).
    static func screenShown(_ isShown: Bool, in step: inout DeviceStep) {
        let now = step.now
        if step.process.inApp.presentation?.step == .onScreen {
            step.process.inApp.presentation?.time.show(isShown, at: now)
        }
        step.process.inApp.inlines.showScreen(isShown, at: now)
        step.then(.wakeInApp)
    }
}

extension InAppDecisionReport {
    /// The message is on the screen.
    init(shown message: InAppMessage, at date: Date) {
        self.init(
            messageID: message.id, campaignID: message.campaignID, version: message.version, at: date, outcome: .shown
        )
    }

    /// The message has left the device.
    init(removed message: InAppCandidate, _ reason: InAppReason, at date: Date) {
        self.init(
            messageID: message.id, campaignID: message.campaignID, version: message.version, at: date,
            outcome: .removed, reason: reason
        )
    }
}

extension SessionEvent {
    /// The event for triggers; nil for the end of a session, when nothing can be shown.
    var triggerEvent: TriggerEvent? {
        switch self {
        case .appStart: TriggerEvent(name: "app:start")
        case .sessionStart: TriggerEvent(name: "session:start")
        case .sessionEnd: nil
        }
    }
}
