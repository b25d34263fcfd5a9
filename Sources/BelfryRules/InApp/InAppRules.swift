import BelfryModel
import Foundation

/// Decides which in-app message is shown, when, and why another is not (IAM-5 to IAM-8, IAM-11).
///
/// An event that matches a trigger arms its message. When the delay is over, the first by priority among the due
/// messages is shown, in steps: load, present, shown, closed. Every step is stored before it is carried out, so a crash
/// at any instant neither loses a message nor shows it beyond its limit: a message that was being loaded is armed
/// again, one that was being put on the screen counts as shown.
///
/// A triggered message is judged at once: if the screen, the gap, a cap or a message that comes first prevents it, this
/// occasion is over, and the next event that matches decides again. A message waits until it is shown if it has a
/// delay, if display is paused, if the app is in the background, if the app deferred it, or if a crash interrupted it.
public struct InAppRules: Hashable, Sendable, Codable {
    /// The maximum number of remembered reports of a session; beyond it they are repeated.
    static let maximumReported = 200
    /// How often in a row a message is tried without a screen; then the occasion is over.
    static let maximumScreenless = 10
    /// The maximum number of seconds between two such attempts; the first delay is 2.
    static let screenlessPause: TimeInterval = 60

    /// The state of one message's trigger.
    struct Progress: Hashable, Sendable, Codable {
        var trigger: InAppTrigger?
        /// Matching events since the message arrived on the device or was last shown.
        var occurrences = 0
        var armed: Armed?
        /// How often in a row there was no screen for it.
        var screenless: Int?
    }

    /// A trigger that has fired.
    struct Armed: Hashable, Sendable, Codable {
        var at: Date
        /// The app deferred it.
        var isDeferred = false
        /// Whether it waits until it is shown, and not only for this occasion.
        var isHeld = false
        /// The reason for waiting that was reported last.
        var reportedReason: String?
        /// The time before which it is not checked again, unless the app comes to the foreground.
        var notBefore: Date?

        // The stored key is that of earlier versions of the SDK.
        private enum CodingKeys: String, CodingKey {
            case at, isDeferred, isHeld
            case reportedReason = "told"
            case notBefore
        }

        func due(after delay: TimeInterval) -> Date {
            let due = at.addingTimeInterval(delay)
            return notBefore.map { max($0, due) } ?? due
        }
    }

    /// A message that is about to be shown, or on the screen.
    struct Intent: Hashable, Sendable, Codable {
        let ticket: InAppPresentationID
        /// The message at the time of the decision.
        let candidate: InAppCandidate
        /// When its trigger fired; nil for one that the app asked for.
        let armedAt: Date?
        var since: Date
    }

    enum Phase: Hashable, Sendable, Codable {
        case idle
        case loading(Intent)
        case presenting(Intent)
        case onScreen(Intent)
    }

    /// The beginning of a session, for the messages that its fetch brings.
    struct Start: Hashable, Sendable, Codable {
        var events: [TriggerEvent]
        var at: Date
    }

    var phase = Phase.idle
    var progress: [String: Progress] = [:]
    /// The displays to each person.
    public internal(set) var impressions = InAppImpressions()
    /// When a message was last on the screen; nil when none ever was.
    var lastOnScreen: Date?
    var start: Start?
    /// The number of messages shown in the session.
    public internal(set) var shownInSession = 0
    /// The reports of the session.
    var reported: Set<String> = []
    /// Inline messages that already count for the session, and those that the person closed in it.
    var inlineShown: Set<String> = []
    var inlineClosed: Set<String> = []
    var tickets = 0

    public init() {}

    /// The message that is on the screen or about to be shown.
    public var underWay: InAppPresentationID? { intent?.ticket }

    /// The message that is on the screen.
    public var onScreen: InAppPresentationID? {
        guard case .onScreen(let intent) = phase else { return nil }
        return intent.ticket
    }

    var intent: Intent? {
        switch phase {
        case .idle: nil
        case .loading(let intent), .presenting(let intent), .onScreen(let intent): intent
        }
    }

    /// When the passing of time changes something; nil when only an event, the app or the person can.
    public func nextDue(after now: Date, in situation: InAppSituation, policy: InAppPolicy) -> Date? {
        var dues: [Date] = []
        if case .loading(let intent) = phase { dues.append(intent.since.addingTimeInterval(policy.loadTimeout)) }
        if case .presenting(let intent) = phase {
            dues.append(intent.since.addingTimeInterval(policy.presentTimeout))
        }
        if situation.hold == nil {
            for candidate in situation.candidates {
                guard let armed = progress[candidate.id]?.armed, !armed.isDeferred else { continue }
                let due = armed.due(after: candidate.delay)
                dues.append(phase == .idle ? max(due, gapEnd(policy) ?? due) : due)
            }
        }
        return dues.filter { $0 > now }.min()
    }

    /// The messages that can never be shown again, and why: they must be removed from the device (IAM-11).
    public func spent(at now: Date, in situation: InAppSituation) -> [(id: String, reason: InAppReason)] {
        situation.candidates.compactMap { candidate in
            guard candidate.id != intent?.ticket.messageID, !inlineShown.contains(candidate.id) else { return nil }
            switch violatedTerm(of: candidate, at: now, in: situation) {
            case .expired?: return (candidate.id, .expired)
            case .exhausted(let displays, let limit)?:
                return (candidate.id, .exhausted(displays: displays, limit: limit))
            default: return nil
            }
        }
    }

    func gapEnd(_ policy: InAppPolicy) -> Date? {
        lastOnScreen?.addingTimeInterval(policy.minimumGap)
    }
}

// MARK: - Obstacles

extension InAppRules {
    /// Which of the message's own terms prevents its display; nil if none does.
    func violatedTerm(of candidate: InAppCandidate, at now: Date, in situation: InAppSituation) -> InAppReason? {
        candidate.violatedTerm(
            displays: impressions.displays(of: candidate), at: now.addingTimeInterval(situation.clockOffset)
        )
    }

    /// Why the screen or the caps prevent it. Gap and caps do not apply to a message that the app asks for by its id.
    func obstacle(
        isAsked: Bool, at now: Date, in situation: InAppSituation, policy: InAppPolicy
    ) -> InAppReason? {
        if !situation.hasPresenter { return .noPresenter }
        if phase != .idle { return .onScreen }
        if isAsked { return nil }
        if let lastOnScreen, now.timeIntervalSince(lastOnScreen) < policy.minimumGap {
            return .anotherShown(secondsAgo: Int(max(0, now.timeIntervalSince(lastOnScreen))))
        }
        if let cap = policy.maximumPerSession, shownInSession >= cap { return .sessionCap(cap) }
        if let cap = policy.maximumPerDay, impressions.displays(onDayOf: now, in: situation.zone) >= cap {
            return .dayCap(cap)
        }
        return nil
    }

    mutating func ticket(for candidate: InAppCandidate, isAsked: Bool) -> InAppPresentationID {
        tickets += 1
        return InAppPresentationID(
            number: tickets, messageID: candidate.id, campaignID: candidate.campaignID, version: candidate.version,
            isAsked: isAsked
        )
    }

    mutating func finding(_ candidate: InAppCandidate, _ reason: InAppReason, waits: Bool = false) -> InAppDecision {
        if reported.count >= Self.maximumReported { reported = [] }
        let isFirst = reported.insert("\(reason.code) \(candidate.id)").inserted
        return .notShown(
            InAppNotShown(
                messageID: candidate.id, campaignID: candidate.campaignID, version: candidate.version, reason: reason,
                waits: waits, isFirst: isFirst
            )
        )
    }
}
