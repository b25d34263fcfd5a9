import BelfryModel
import Foundation

/// Changes around the messages: a fetch, another person, a restart, the clock (IAM-4, IAM-8, IAM-10, IAM-11).
extension InAppRules {
    /// The stored messages have changed. Call it with every change, whatever caused it.
    ///
    /// An edit keeps the count of events, unless it changed the trigger. A message that arrives within the first minute
    /// of a session is triggered by the session's start.
    ///
    /// - Parameter recalled: the ids of recalled messages, which must disappear from the screen. A message that was
    ///   removed for another reason may stay on the screen.
    public mutating func messagesChanged(
        recalled: Set<String> = [], at now: Date, in situation: InAppSituation, policy: InAppPolicy
    ) -> [InAppDecision] {
        var decisions: [InAppDecision] = []
        if let intent, recalled.contains(intent.ticket.messageID) { decisions += recall(intent) }
        let stored = Set(situation.candidates.map(\.id))
        progress = progress.filter { stored.contains($0.key) }
        for candidate in situation.candidates {
            if let known = progress[candidate.id], known.trigger == candidate.trigger { continue }
            let wasArmed = progress[candidate.id]?.armed != nil
            progress[candidate.id] = Progress(trigger: candidate.trigger)
            if wasArmed { decisions.append(finding(candidate, .edited)) }
            decisions += noticedStart(for: candidate, at: now, in: situation, policy: policy)
        }
        return decisions + choose(at: now, in: situation, policy: policy)
    }

    private mutating func noticedStart(
        for candidate: InAppCandidate, at now: Date, in situation: InAppSituation, policy: InAppPolicy
    ) -> [InAppDecision] {
        guard let start, now.timeIntervalSince(start.at) <= policy.startLasts else { return [] }
        return noticed(start.events, for: candidate, at: now, in: situation)
    }

    private mutating func recall(_ intent: Intent) -> [InAppDecision] {
        guard case .loading = phase else { return [.close(intent.ticket, .recalled)] }
        phase = .idle
        return [.drop(intent.ticket, .recalled), finding(intent.candidate, .recalled)]
    }

    /// Another person uses the device from now on. No message of the former person is shown, and one that is about to
    /// be shown is stopped. Their messages must be removed in the same step.
    ///
    /// - Parameter owner: the number of the present person's contact.
    public mutating func personChanged(owner: Int, at now: Date) -> [InAppDecision] {
        var decisions: [InAppDecision] = []
        switch phase {
        case .idle: break
        case .loading(let intent): decisions.append(.drop(intent.ticket, .personChanged))
        case .presenting(let intent):
            // It may be visible at this moment.
            count(intent, at: now)
            decisions.append(.close(intent.ticket, .personChanged))
        case .onScreen(let intent):
            lastOnScreen = now
            decisions.append(.close(intent.ticket, .personChanged))
        }
        phase = .idle
        progress = [:]
        start = nil
        shownInSession = 0
        reported = []
        inlineShown = []
        inlineClosed = []
        impressions.personChanged(owner: owner)
        return decisions
    }

    /// A contact was linked, possibly after its person had left (ID-8). Call it together with ``RecipientTags``.
    public mutating func linked(_ reference: String, owner: Int) {
        impressions.linked(reference, owner: owner)
    }

    /// The process started. Resolves what a crash or a kill interrupted.
    public mutating func launched() -> [InAppDecision] {
        defer { phase = .idle }
        switch phase {
        case .idle: return []
        case .loading(let intent):
            _ = rearm(intent)
            return []
        case .presenting(let intent):
            count(intent, at: intent.since)
            return [.assumedShown(intent.ticket)]
        case .onScreen: return []
        }
    }

    /// Call before every decision: a clock that was set back must freeze neither a delay nor the gap.
    public mutating func rebase(to now: Date) {
        impressions.rebase(to: now)
        lastOnScreen = lastOnScreen.map { min($0, now) }
        if let start { self.start?.at = min(start.at, now) }
        for (id, own) in progress {
            if let armed = own.armed, armed.at > now { progress[id]?.armed?.at = now }
            if let next = own.armed?.notBefore {
                progress[id]?.armed?.notBefore = min(next, now.addingTimeInterval(Self.screenlessPause))
            }
        }
        switch phase {
        case .idle: break
        case .loading(var intent):
            intent.since = min(intent.since, now)
            phase = .loading(intent)
        case .presenting(var intent):
            intent.since = min(intent.since, now)
            phase = .presenting(intent)
        case .onScreen(var intent):
            intent.since = min(intent.since, now)
            phase = .onScreen(intent)
        }
    }
}
