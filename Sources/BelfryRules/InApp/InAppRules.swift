import BelfryModel
import Foundation

/// Decides which in-app message is shown, when, and why another is not (IAM-5 to IAM-8, IAM-11).
///
/// An event that matches a trigger arms its message. When the delay is over, the first by priority among those that are
/// due goes to the screen, in steps: load, present, shown, closed. Every step is stored before it is done, so a crash at
/// any instant neither loses a message nor shows it beyond its limit: what was being loaded is armed again, what was
/// being put on the screen counts as shown.
///
/// What is triggered is judged at once: where the screen, the gap or a cap stands in the way, or a message that comes
/// first, this occasion is over, and the next event that matches decides anew. What has to wait by itself (for its delay,
/// the end of a pause, the foreground, or the app that deferred it) and what a crash held up waits until it is shown.
public struct InAppRules: Hashable, Sendable, Codable {
    /// Findings that are remembered of a session; beyond it they are told again.
    static let maximumReported = 200
    /// How often in a row a message is tried when there is no screen; then the occasion is over.
    static let maximumScreenless = 10
    /// Seconds, at most, from one such attempt to the next; the first is after 2.
    static let screenlessPause: TimeInterval = 60

    /// What the triggers of one message have seen.
    struct Progress: Hashable, Sendable, Codable {
        var trigger: InAppTrigger?
        /// Matching events since the message came to the device or was last shown.
        var occurrences = 0
        var armed: Armed?
        /// How often in a row there was no screen for it.
        var screenless: Int?
    }

    /// A trigger that has come true.
    struct Armed: Hashable, Sendable, Codable {
        var at: Date
        /// The app wants it later.
        var isDeferred = false
        /// It waits until it is shown, and not only for this occasion.
        var isHeld = false
        /// The reason for waiting that was told last.
        var told: String?
        /// It is not looked at before, unless the app comes to the foreground.
        var notBefore: Date?

        func due(after delay: TimeInterval) -> Date {
            let due = at.addingTimeInterval(delay)
            return notBefore.map { max($0, due) } ?? due
        }
    }

    /// A message on its way to the screen.
    struct Intent: Hashable, Sendable, Codable {
        let ticket: InAppTicket
        /// As it was when it was decided.
        let candidate: InAppCandidate
        /// When its trigger came true; nil for one that the app asked for.
        let armedAt: Date?
        var since: Date
    }

    enum Phase: Hashable, Sendable, Codable {
        case idle
        case loading(Intent)
        case presenting(Intent)
        case onScreen(Intent)
    }

    /// How a session began, for the messages that its fetch brings.
    struct Start: Hashable, Sendable, Codable {
        var events: [TriggerEvent]
        var at: Date
    }

    var phase = Phase.idle
    var progress: [String: Progress] = [:]
    /// What each person has seen.
    public internal(set) var impressions = InAppImpressions()
    /// When the last message was on the screen; nil when none ever was.
    var lastOnScreen: Date?
    var start: Start?
    /// Messages shown in the session.
    public internal(set) var shownInSession = 0
    /// What was said in the session.
    var reported: Set<String> = []
    /// Inline messages that count for the session already, and those that the person closed in it.
    var inlineShown: Set<String> = []
    var inlineClosed: Set<String> = []
    var tickets = 0

    public init() {}

    /// The message that is on the screen or on its way there.
    public var underWay: InAppTicket? { intent?.ticket }

    /// The message that is on the screen.
    public var onScreen: InAppTicket? {
        guard case .onScreen(let intent) = phase else { return nil }
        return intent.ticket
    }

    var intent: Intent? {
        switch phase {
        case .idle: nil
        case .loading(let intent), .presenting(let intent), .onScreen(let intent): intent
        }
    }

    /// When time itself changes something; nil when only an event, the app or the person can.
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

    /// The messages that can never be shown again, and why: they are to leave the device (IAM-11).
    public func spent(at now: Date, in situation: InAppSituation) -> [(id: String, reason: InAppReason)] {
        situation.candidates.compactMap { candidate in
            guard candidate.id != intent?.ticket.messageID, !inlineShown.contains(candidate.id) else { return nil }
            switch standing(of: candidate, at: now, in: situation) {
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

// MARK: - What stands in the way

extension InAppRules {
    /// What the message's own terms say.
    func standing(of candidate: InAppCandidate, at now: Date, in situation: InAppSituation) -> InAppReason? {
        let serverTime = now.addingTimeInterval(situation.clockOffset)
        if let endsAt = candidate.endsAt, endsAt <= serverTime { return .expired }
        if let startsAt = candidate.startsAt, startsAt > serverTime { return .notStarted(until: startsAt) }
        let displays = impressions.displays(of: candidate)
        return displays >= candidate.displayLimit
            ? .exhausted(displays: displays, limit: candidate.displayLimit) : nil
    }

    /// What the screen and the caps say. What the app asks for by its id waits for neither gap nor caps.
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

    mutating func ticket(for candidate: InAppCandidate, isAsked: Bool) -> InAppTicket {
        tickets += 1
        return InAppTicket(
            number: tickets, messageID: candidate.id, campaignID: candidate.campaignID, version: candidate.version,
            isAsked: isAsked
        )
    }

    mutating func finding(_ candidate: InAppCandidate, _ reason: InAppReason, waits: Bool = false) -> InAppDecision {
        if reported.count >= Self.maximumReported { reported = [] }
        let isFirst = reported.insert("\(reason.code) \(candidate.id)").inserted
        return .notShown(
            InAppFinding(
                messageID: candidate.id, campaignID: candidate.campaignID, version: candidate.version, reason: reason,
                waits: waits, isFirst: isFirst
            )
        )
    }
}
