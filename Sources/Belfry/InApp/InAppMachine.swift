import BelfryModel
import BelfryRules
import Foundation

/// What ``InAppRules`` decide becomes part of a step: events that tell of it, and what is done about it (IAM-8, IAM-9).
enum InAppMachine {
    /// The messages on the device with this step.
    static func shelf(in step: inout DeviceStep) throws(BelfryError) -> InAppShelf {
        if let shelf = step.process.inApp.shelf { return shelf }
        let shelf = InAppShelf(try step.store.inAppMessages())
        step.process.inApp.shelf = shelf
        return shelf
    }

    /// What is the case when something is decided in this step.
    static func situation(in step: inout DeviceStep) throws(BelfryError) -> InAppSituation {
        let record = step.state.record.reported
        let consent = DeviceConsent(
            hasToken: record.pushToken != nil, pushEnabled: record.pushEnabled, osPushEnabled: record.osPushEnabled
        )
        return InAppSituation(
            candidates: try shelf(in: &step).candidates,
            isForeground: step.process.appState == .foreground,
            isPaused: step.process.inApp.isPaused,
            hasPresenter: step.context.platform.inAppPresenter != nil,
            device: TriggerDevice(properties: record.system, isOptedIn: consent.suppression == nil),
            zone: record.system.timeZone.flatMap(ZoneName.init)?.timeZone ?? .gmt,
            clockOffset: step.state.sync.serverClockOffset ?? 0
        )
    }

    /// A message as the device has it with this step.
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

    /// Somebody can show messages, or wants to: from now on they are fetched (IAM-3).
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
            case .load(let ticket): beginShowing(ticket, in: &step)
            case .notShown(let finding): try add(finding, to: &step)
            case .drop(let ticket, let reason): endShowing(ticket, reason, in: &step)
            case .close(let ticket, let reason): try close(ticket, reason, in: &step)
            case .run(let ticket): try run(ticket, in: &step)
            case .assumedShown(let ticket): try addAssumed(ticket, to: &step)
            case .present: break
            }
        }
    }

    /// Told once in a session to the ledger, and each time to the app. What is only delayed will tell of itself.
    private static func add(_ finding: InAppFinding, to step: inout DeviceStep) throws(BelfryError) {
        var isTold = finding.isFirst
        if case .delayed = finding.reason { isTold = false }
        if isTold {
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

    private static func beginShowing(_ ticket: InAppTicket, in step: inout DeviceStep) {
        var askers: [InAppShowing.Asker] = []
        // It was edited while it was loaded: who asked for it waits for the new version.
        if let former = step.process.inApp.showing, former.ticket.messageID == ticket.messageID {
            askers = former.askers
            step.process.inApp.showing?.askers = []
        }
        step.endShowing(.edited)
        guard let message = try? message(ticket.messageID, in: step) else {
            // The loop finds a message on its way that nobody carries.
            step.then(.answerAskers(askers, .loadFailed))
            return step.then(.wakeInApp)
        }
        let number = step.process.inApp.nextNumber()
        step.process.inApp.showing = InAppShowing(number: number, ticket: ticket, message: message, askers: askers)
        step.then(.showInApp(number))
    }

    private static func endShowing(_ ticket: InAppTicket, _ reason: InAppReason, in step: inout DeviceStep) {
        guard step.process.inApp.showing?.ticket == ticket else { return }
        step.endShowing(reason)
    }

    /// It leaves the screen with this step. Of one who has left that is told as theirs, for the last time.
    private static func close(
        _ ticket: InAppTicket,
        _ reason: InAppReason,
        in step: inout DeviceStep
    ) throws(BelfryError) {
        let seconds = step.state.inApp.closed(ticket, at: step.now)
        if let showing = step.process.inApp.showing, showing.ticket == ticket {
            let isFormer = reason == .personChanged
            let context = isFormer ? step.context.storage.context.withLock { $0 } : nil
            if showing.step == .onScreen {
                try addDismissal(showing.time, of: ticket.name, .replaced, by: context, to: &step)
            } else if isFormer, showing.step == .presenting, seconds == nil {
                try addAssumed(ticket, by: context, to: &step)
            }
        }
        endShowing(ticket, reason, in: &step)
    }

    /// A message that shows nothing counts with this step, and its events are tracked with it. Addresses are opened
    /// after it.
    private static func run(_ ticket: InAppTicket, in step: inout DeviceStep) throws(BelfryError) {
        guard let message = try message(ticket.messageID, in: step) else { return }
        try addEvent(.inAppViewed, of: ticket.name, ["version": .number(Double(ticket.version))], to: &step)
        for action in (message.content.actions ?? []).prefix(InAppLimits.maximumActions) {
            try add(action, to: &step)
            step.then(.runAction(action, of: message, buttonID: nil))
        }
    }
}

// MARK: - Events

extension InAppMachine {
    /// What a message did, unless nothing is recorded (REG-36).
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

    /// Nobody knows whether it was seen. It counts, here and on the server.
    private static func addAssumed(
        _ ticket: InAppTicket,
        by context: TrackingContext? = nil,
        to step: inout DeviceStep
    ) throws(BelfryError) {
        let said: [String: AttributeValue] = ["version": .number(Double(ticket.version)), "assumed": .boolean(true)]
        try addEvent(.inAppViewed, of: ticket.name, said, by: context, to: &step)
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

    /// The click, and the event that it asks for.
    static func add(_ tap: InAppTap, on message: InAppName, to step: inout DeviceStep) throws(BelfryError) {
        if tap.isClick {
            let said: [String: AttributeValue] = tap.buttonID.map { ["buttonId": .string($0)] } ?? [:]
            try addEvent(.inAppClick, of: message, said, to: &step)
        }
        if let action = tap.action { try add(action, to: &step) }
    }

    /// The event that an action asks for, as if the app had tracked it.
    private static func add(_ action: InAppAction, to step: inout DeviceStep) throws(BelfryError) {
        guard action.type == .event, let text = action.name, let name = try? EventName(text),
            step.state.privacy.takesEvents
        else { return }
        // One that breaks a limit of events is the marketer's fault and stops nothing.
        let event = try? step.recorder.queued(
            .custom, name, attributes: action.attributes ?? [:], at: step.now, context: step.state.trackingContext
        )
        if let event { step.change.events.append(event) }
    }
}

// MARK: - Sessions and persons

extension InAppMachine {
    /// A session that begins may show a message, and makes the messages due (IAM-3, IAM-5). It is judged in the step
    /// that stores it, so a crash loses no occasion.
    static func judge(_ events: [SessionEvent], in step: inout DeviceStep) throws(BelfryError) {
        let happened = events.compactMap(\.triggerEvent)
        guard !happened.isEmpty, step.state.privacy.takesEvents else { return }
        let begins = events.contains { if case .sessionStart = $0 { true } else { false } }
        if begins { step.state.sync.inApp.mark() }
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
        // What the person closed in the last session may come again.
        step.then(.offerInlines)
    }

    /// Another person uses the device from now on.
    static func personChanged(in step: inout DeviceStep) throws(BelfryError) {
        let decisions = step.state.inApp.personChanged(owner: step.state.sync.link.owner, at: step.now)
        try add(decisions, to: &step)
        step.then(.forgetTriggers)
    }

    /// Another contact's messages are shown from now on, and none of the former one's (IAM-11).
    static func contactChanged(in step: inout DeviceStep) throws(BelfryError) {
        step.state.sync.inApp.contactChanged()
        step.change.inApp = [.purge]
        forgetAll(in: &step)
        let situation = try situation(in: &step)
        let policy = step.configuration.inApp.policy
        try add(step.state.inApp.messagesChanged(at: step.now, in: situation, policy: policy), to: &step)
    }

    /// No message is on the device, in the app's own views, or on its way to the app.
    static func forgetAll(in step: inout DeviceStep) {
        step.then(.purgeInAppFeed)
        step.then(.endInlines(step.process.inApp.inlines.end()))
        step.setShelf(InAppShelf())
    }

    /// Takes away what is on the screen, or on its way there, although nobody else has come yet (ID-4).
    static func clear(in step: inout DeviceStep) throws(BelfryError) {
        guard let ticket = step.state.inApp.underWay else { return }
        if let showing = step.process.inApp.showing, step.state.inApp.closed(ticket, at: step.now) != nil {
            try addDismissal(showing.time, of: showing.ticket.name, .replaced, to: &step)
        }
        // What was about to be seen counts, as after a crash.
        try add(step.state.inApp.launched(), to: &step)
        endShowing(ticket, .personChanged, in: &step)
    }

    /// The time for which the app is away is none for which a message is to be seen (IAM-9).
    static func screenShown(_ isShown: Bool, in step: inout DeviceStep) {
        let now = step.now
        if step.process.inApp.showing?.step == .onScreen { step.process.inApp.showing?.time.show(isShown, at: now) }
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
    /// As triggers look at it; nil for the end of a session, which nobody sees.
    var triggerEvent: TriggerEvent? {
        switch self {
        case .appStart: TriggerEvent(name: "app:start")
        case .sessionStart: TriggerEvent(name: "session:start")
        case .sessionEnd: nil
        }
    }
}
