import Belfry
import BelfryModel
import Foundation

/// The SDK's state and the reasons for it, in sentences (CON-15).
struct InspectorView: Sendable, Encodable {
    /// The number of in-app messages that are listed.
    static let maximumMessages = 50

    struct Section: Sendable, Encodable {
        let title: String
        let lines: [String]
    }

    struct InAppMessageView: Sendable, Encodable {
        let campaign: String
        let type: String
        let trigger: String
        let displays: String
        /// Further conditions for showing the message, in sentences.
        let terms: [String]
        let decision: String
    }

    let sections: [Section]
    let inApp: [InAppMessageView]
}

/// Facts that the phone has noted besides the SDK's own state.
struct InspectorFacts: Sendable {
    let tokens: TokenAges
    let edits: PendingEdits
    let inApp: InAppOptions
    /// The real time; ``now`` is the phone's time.
    let worldNow: Date
    let now: Date
}

extension InspectorView.Section {
    /// The sections on the SDK's state.
    static func all(of state: ClientState, _ facts: InspectorFacts) -> [Self] {
        let now = facts.now
        return [
            Self(title: "Registration", lines: registration(state, facts)),
            Self(title: "Identity", lines: identity(state) + contactTokens(state, facts)),
            Self(title: "Push token", lines: token(state, facts)),
            Self(title: "Event queue", lines: queue(state.queue, isTracking: state.trackingEnabled)),
            Self(title: "Message center", lines: center(state.messageCenter, now: now)),
            Self(title: "In-app messages", lines: inApp(state.inApp, facts.inApp, now: now)),
        ]
    }

    private static func registration(_ state: ClientState, _ facts: InspectorFacts) -> [String] {
        let registration = state.registration
        let subject = facts.edits.subject
        var lines = [RegistrationSentence(state: registration, subject: subject, now: facts.now).text]
        if let revision = registration.acceptedRevision {
            let processed = registration.processedRevision.map { $0 >= revision } ?? false
            lines.append("The server has revision \(revision)\(processed ? " and has processed it" : "").")
        }
        lines += registration.rejected.map(\.sentence)
        if let error = registration.lastError { lines.append("The last attempt failed. \(error.sentence)") }
        return lines
    }

    private static func identity(_ state: ClientState) -> [String] {
        let person =
            switch (state.contact, state.linkIsPending) {
            case ("known", false): "The device is linked to a known person."
            case ("known", true): "The app has named a person; the server is still to link the device to them (ID-3)."
            case ("anonymous", false): "The device is linked to an anonymous contact."
            case ("anonymous", true): "The server is still to link the device to an anonymous contact (ID-1)."
            default: "The device has no contact yet."
            }
        let errors = [
            state.linkError.map { "The link failed. \($0.sentence)" },
            state.refreshError.map { "The contact token could not be renewed. \($0.sentence)" },
        ]
        return [person, "The installation's id is \(state.deviceId)."] + errors.compactMap(\.self)
    }

    /// Sentences on the contact tokens; none after a wipe, which removes them.
    private static func contactTokens(_ state: ClientState, _ facts: InspectorFacts) -> [String] {
        state.isResting ? [] : facts.tokens.contactLines(now: facts.worldNow)
    }

    private static func token(_ state: ClientState, _ facts: InspectorFacts) -> [String] {
        let permission: String? =
            switch state.consent.osPushEnabled {
            case nil: "The app has not asked for permission yet, so no token is requested (REG-30)."
            case true?: nil
            case false?: "The person does not allow notifications in the system."
            }
        let opt = state.consent.pushEnabled ? nil : "The person has switched pushes off in the app."
        let error = state.pushTokenError.map { "The token could not be sent. \($0.sentence)" }
        let token = state.pushToken.map { "The token is \($0)." } ?? "There is no token."
        let ages = state.pushToken == nil ? [] : facts.tokens.pushLines(now: facts.worldNow)
        return [permission, opt, token].compactMap(\.self) + ages + [error].compactMap(\.self)
    }

    private static func queue(_ queue: ClientState.Queue, isTracking: Bool) -> [String] {
        let waiting =
            switch queue.count {
            case 0: "No event waits."
            case 1: "One event waits (\(queue.bytes) bytes)."
            default: "\(queue.count) events wait (\(queue.bytes) bytes), in their order."
            }
        var lines = [waiting]
        if !isTracking { lines.append("The person does not allow that events are recorded (REG-36).") }
        switch queue.setAside {
        case 0: break
        case 1: lines.append("One event became a dead letter: the server rejected it (EVT-4).")
        default: lines.append("\(queue.setAside) events became dead letters: the server rejected them (EVT-4).")
        }
        switch queue.droppedFull + queue.droppedOld {
        case 0: break
        case 1: lines.append("One event was dropped by the queue's limits (EVT-5).")
        case let dropped: lines.append("\(dropped) events were dropped by the queue's limits (EVT-5).")
        }
        if let error = queue.lastError { lines.append("The last upload failed. \(error.sentence)") }
        return lines
    }

    private static func center(_ center: ClientState.MessageCenter, now: Date) -> [String] {
        guard center.isEnabled else { return ["The app has not turned it on."] }
        var lines = [fetches(center.fetchedAt, next: center.nextFetchAt, now: now)]
        switch center.pendingStates {
        case 0: break
        case 1: lines.append("One change waits to be sent.")
        default: lines.append("\(center.pendingStates) changes wait to be sent.")
        }
        if let error = center.lastError { lines.append("The last fetch failed. \(error.sentence)") }
        return lines
    }

    private static func inApp(_ inApp: ClientState.InApp, _ options: InAppOptions, now: Date) -> [String] {
        guard inApp.isEnabled else { return ["The app shows none."] }
        let count =
            switch inApp.count {
            case 0: "None is on the device."
            case 1: "One is on the device."
            default: "\(inApp.count) are on the device."
            }
        var lines = [count, fetches(inApp.fetchedAt, next: inApp.nextFetchAt, now: now)]
        lines += InAppTerms.lines(of: options)
        if inApp.isPaused { lines.append("The app has paused them.") }
        if let error = inApp.lastError { lines.append("The last fetch failed. \(error.sentence)") }
        return lines
    }

    private static func fetches(_ last: Date?, next: Date?, now: Date) -> String {
        let before =
            last.map { "The messages were fetched \(Duration(now.timeIntervalSince($0)).words) ago" }
            ?? "The messages were never fetched"
        guard let next else { return before + "." }
        guard next > now else { return before + "; a fetch is due." }
        return before + "; the next fetch is in \(Duration(next.timeIntervalSince(now)).words)."
    }
}

extension InspectorView.InAppMessageView {
    init(_ message: InAppMessage, _ decision: InAppDecisionReport?) {
        campaign = message.campaignID
        type = message.type.words
        trigger =
            message.trigger.map { TriggerWords.text($0) } ?? message.viewID.map { "in the view \($0)" }
            ?? "when the app asks for it"
        displays =
            "\(message.displayCount) of \(message.displayLimit) \(message.displayLimit == 1 ? "display" : "displays")"
        terms = InAppTerms.lines(of: message)
        // The description begins with the campaign's id, which is replaced by "It".
        self.decision =
            decision.map { "It\($0.description.dropFirst($0.campaignID.count))." } ?? "It waits for its trigger."
    }
}

extension InAppType {
    /// The kind of message, at the beginning of its line.
    fileprivate var words: String {
        switch self {
        case .modal: "A message over the app"
        case .full: "A message over the whole screen"
        case .bannerTop: "A banner at the top"
        case .bannerBottom: "A banner at the bottom"
        case .fullImage: "A picture over the whole screen"
        case .inline: "A message in a view of the app"
        case .html: "A page of the marketer's own"
        case .action: "Actions without a page"
        }
    }
}
