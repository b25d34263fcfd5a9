import BelfryModel
import Foundation

/// From an event to the decision which message is shown (IAM-5, IAM-6).
extension InAppRules {
    /// A session begins: its caps are reset, the app may be asked again about deferred messages, and the session's
    /// first events trigger messages on the device, and for a while messages that the session's own fetch brings
    /// (IAM-3).
    ///
    /// - Parameter events: `app:start`, if the process started with it, and `session:start`.
    public mutating func sessionStarted(
        _ events: [TriggerEvent], at now: Date, in situation: InAppSituation, policy: InAppPolicy
    ) -> [InAppDecision] {
        shownInSession = 0
        reported = []
        inlineShown = []
        inlineClosed = []
        endDeferrals()
        start = Start(events: events, at: now)
        return happened(events, at: now, in: situation, policy: policy)
    }

    /// Events happened. The events of one turn are judged together: of all messages that they trigger, the first by
    /// priority is shown.
    public mutating func happened(
        _ events: [TriggerEvent], at now: Date, in situation: InAppSituation, policy: InAppPolicy
    ) -> [InAppDecision] {
        var decisions: [InAppDecision] = []
        for candidate in situation.candidates {
            decisions += noticed(events, for: candidate, at: now, in: situation)
        }
        return decisions + choose(at: now, in: situation, policy: policy)
    }

    /// Time has passed, the app came to the foreground, display was resumed or a message was closed: waiting messages
    /// are checked. Nothing changes when nothing is due.
    public mutating func timePassed(
        at now: Date, in situation: InAppSituation, policy: InAppPolicy
    ) -> [InAppDecision] {
        var decisions: [InAppDecision] = []
        if case .loading(let intent) = phase, now.timeIntervalSince(intent.since) >= policy.loadTimeout {
            decisions += [.drop(intent.ticket, situation.hold ?? .loadFailed)]
            decisions += loadFailed(intent.ticket, in: situation).map { [$0] } ?? []
        }
        if case .presenting(let intent) = phase, now.timeIntervalSince(intent.since) >= policy.presentTimeout {
            // It is unknown whether it was seen.
            phase = .idle
            count(intent, at: now)
            decisions += [.assumedShown(intent.ticket), .close(intent.ticket, .displayFailed)]
        }
        return decisions + choose(at: now, in: situation, policy: policy)
    }

    /// The app came to the foreground or display was resumed: it may be asked again about deferred messages. Call
    /// ``timePassed(at:in:policy:)`` afterwards.
    public mutating func endDeferrals() {
        for id in progress.keys { progress[id]?.armed?.isDeferred = false }
        screenReturned()
    }

    /// There may be a screen again for messages that had none.
    public mutating func screenReturned() {
        for id in progress.keys {
            progress[id]?.armed?.notBefore = nil
            progress[id]?.screenless = nil
        }
    }

    /// Counts the events for one message, and arms it when they suffice.
    mutating func noticed(
        _ events: [TriggerEvent], for candidate: InAppCandidate, at now: Date, in situation: InAppSituation
    ) -> [InAppDecision] {
        let count = candidate.occurrences(in: events, on: situation.device)
        guard count > 0, let trigger = candidate.trigger else { return [] }
        // While it is about to be shown, another event has no effect on it.
        if let underWay, onScreen == nil, underWay.messageID == candidate.id { return [] }
        var own = progress[candidate.id] ?? Progress(trigger: trigger)
        own.occurrences = min(own.occurrences + count, InAppLimits.maximumOccurrence)
        defer { progress[candidate.id] = own }
        if let reason = violatedTerm(of: candidate, at: now, in: situation) { return [finding(candidate, reason)] }
        guard own.occurrences >= trigger.neededOccurrence else {
            return [finding(candidate, .occurrence(own.occurrences, of: trigger.neededOccurrence))]
        }
        if own.armed != nil {
            own.armed?.isDeferred = false
            return []
        }
        own.armed = Armed(at: now, isHeld: candidate.delay > 0)
        guard candidate.delay > 0 else { return [] }
        return [finding(candidate, .delayed(until: now.addingTimeInterval(candidate.delay)), waits: true)]
    }

    /// Shows the first of the due messages, unless something prevents it.
    mutating func choose(at now: Date, in situation: InAppSituation, policy: InAppPolicy) -> [InAppDecision] {
        var decisions: [InAppDecision] = []
        var due: [InAppCandidate] = []
        for candidate in situation.candidates.filter({ isDue($0, at: now) }).sorted(by: InAppCandidate.comesFirst) {
            if let reason = violatedTerm(of: candidate, at: now, in: situation) {
                progress[candidate.id]?.armed = nil
                decisions.append(finding(candidate, reason))
            } else {
                due.append(candidate)
            }
        }
        decisions += chooseAction(due.filter { $0.type == .action }, at: now, in: situation)
        return decisions + chooseOverlay(due.filter(\.type.isOverlay), at: now, in: situation, policy: policy)
    }

    private func isDue(_ candidate: InAppCandidate, at now: Date) -> Bool {
        guard let armed = progress[candidate.id]?.armed, !armed.isDeferred else { return false }
        return armed.due(after: candidate.delay) <= now
    }

    /// A message of type `action` needs no room on the screen; of two at the same time only the first runs.
    private mutating func chooseAction(
        _ due: [InAppCandidate], at now: Date, in situation: InAppSituation
    ) -> [InAppDecision] {
        guard let first = due.first else { return [] }
        let others = due.dropFirst().compactMap { passOver($0, .outranked(by: first.campaignID)) }
        if let reason = situation.hold { return hold(first, reason) + others }
        return [run(first, isAsked: false, at: now)] + others
    }

    private mutating func chooseOverlay(
        _ due: [InAppCandidate], at now: Date, in situation: InAppSituation, policy: InAppPolicy
    ) -> [InAppDecision] {
        guard let first = due.first else { return [] }
        if situation.hold == nil, let reason = obstacle(isAsked: false, at: now, in: situation, policy: policy) {
            return due.compactMap { passOver($0, reason) }
        }
        let others = due.dropFirst().compactMap { passOver($0, .outranked(by: first.campaignID)) }
        if let reason = situation.hold { return hold(first, reason) + others }
        let armedAt = progress[first.id]?.armed?.at
        progress[first.id]?.armed = nil
        return [load(first, isAsked: false, armedAt: armedAt, at: now)] + others
    }

    mutating func load(_ candidate: InAppCandidate, isAsked: Bool, armedAt: Date?, at now: Date) -> InAppDecision {
        let ticket = ticket(for: candidate, isAsked: isAsked)
        phase = .loading(Intent(ticket: ticket, candidate: candidate, armedAt: armedAt, since: now))
        return .load(ticket)
    }

    mutating func run(_ candidate: InAppCandidate, isAsked: Bool, at now: Date) -> InAppDecision {
        impressions.shown(candidate, at: now, takesRoom: false)
        progress[candidate.id] = Progress(trigger: candidate.trigger)
        return .run(ticket(for: candidate, isAsked: isAsked))
    }

    /// Another message, or the screen, prevents it. Only a held message continues to wait.
    private mutating func passOver(_ candidate: InAppCandidate, _ reason: InAppReason) -> InAppDecision? {
        guard progress[candidate.id]?.armed?.isHeld == true else {
            progress[candidate.id]?.armed = nil
            return finding(candidate, reason)
        }
        return wait(candidate, reason)
    }

    private mutating func hold(_ candidate: InAppCandidate, _ reason: InAppReason) -> [InAppDecision] {
        progress[candidate.id]?.armed?.isHeld = true
        return wait(candidate, reason).map { [$0] } ?? []
    }

    /// Reports a wait once, however often it is checked.
    private mutating func wait(_ candidate: InAppCandidate, _ reason: InAppReason) -> InAppDecision? {
        guard progress[candidate.id]?.armed?.reportedReason != reason.code else { return nil }
        progress[candidate.id]?.armed?.reportedReason = reason.code
        return finding(candidate, reason, waits: true)
    }
}
