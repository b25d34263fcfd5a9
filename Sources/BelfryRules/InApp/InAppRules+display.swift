import BelfryModel
import Foundation

/// The steps from the decision to the screen and off it again (IAM-7, IAM-8).
extension InAppRules {
    /// The app asks for a message by its id. Trigger, delay, gap and caps are ignored; its start and end, its limit, a
    /// pause and a message on the screen are respected.
    public mutating func asked(
        for candidate: InAppCandidate, at now: Date, in situation: InAppSituation, policy: InAppPolicy
    ) -> InAppDecision {
        guard candidate.type != .inline else { return finding(candidate, .inline) }
        if let reason = violatedTerm(of: candidate, at: now, in: situation) ?? situation.hold {
            return finding(candidate, reason)
        }
        if candidate.type == .action { return run(candidate, isAsked: true, at: now) }
        if let reason = obstacle(isAsked: true, at: now, in: situation, policy: policy) {
            return finding(candidate, reason)
        }
        return load(candidate, isAsked: true, armedAt: nil, at: now)
    }

    /// The app agreed and the page is loaded. Everything is checked again, because much may have changed.
    ///
    /// - Returns: to present it, to load it again because it was edited, or why it is not shown. Nil for an attempt
    ///   that is over and already reported.
    public mutating func mayPresent(
        _ ticket: InAppPresentationID, at now: Date, in situation: InAppSituation, policy: InAppPolicy
    ) -> InAppDecision? {
        guard let intent = endLoading(ticket) else { return nil }
        guard let candidate = situation.candidate(ticket.messageID) else {
            let reason = violatedTerm(of: intent.candidate, at: now, in: situation)
            return finding(intent.candidate, reason == .expired ? .expired : .recalled)
        }
        if let reason = violatedTerm(of: candidate, at: now, in: situation) { return finding(candidate, reason) }
        guard candidate.type.isOverlay, ticket.isAsked || candidate.trigger == intent.candidate.trigger
        else { return finding(candidate, .edited) }
        let obstacle = obstacle(isAsked: ticket.isAsked, at: now, in: situation, policy: policy)
        if let reason = situation.hold ?? obstacle { return armAgain(intent, for: candidate, reason) }
        if candidate.version != ticket.version {
            return load(candidate, isAsked: ticket.isAsked, armedAt: intent.armedAt, at: now)
        }
        phase = .presenting(Intent(ticket: ticket, candidate: candidate, armedAt: intent.armedAt, since: now))
        return .present(ticket)
    }

    /// The app vetoed it. The next event that matches asks again.
    public mutating func vetoed(_ ticket: InAppPresentationID) -> InAppDecision? {
        endLoading(ticket).map { finding($0.candidate, .vetoed) }
    }

    /// The app deferred it: it is asked again when it comes to the foreground or resumes display, in the next session,
    /// and when an event matches; or it asks for the message by its id.
    public mutating func deferred(_ ticket: InAppPresentationID) -> InAppDecision? {
        guard let intent = endLoading(ticket) else { return nil }
        let decision = armAgain(intent, for: intent.candidate, .deferred)
        progress[ticket.messageID]?.armed?.isDeferred = true
        return decision
    }

    /// Its page could not be loaded. If the app is in the background or has paused display, the message waits.
    public mutating func loadFailed(_ ticket: InAppPresentationID, in situation: InAppSituation) -> InAppDecision? {
        guard let intent = endLoading(ticket) else { return nil }
        if let reason = situation.hold { return armAgain(intent, for: intent.candidate, reason) }
        return finding(intent.candidate, .loadFailed)
    }

    /// There is no screen for it, and it was not seen: the app goes to the background or has paused display, or a
    /// system dialog covers it. It waits, and is tried again with growing delays, and when the app comes to the
    /// foreground.
    public mutating func screenMissing(
        _ ticket: InAppPresentationID, at now: Date, in situation: InAppSituation
    ) -> InAppDecision? {
        guard let intent, intent.ticket == ticket, onScreen == nil else { return nil }
        phase = .idle
        if let reason = situation.hold { return armAgain(intent, for: intent.candidate, reason) }
        guard situation.hasPresenter else { return finding(intent.candidate, .noPresenter) }
        let attempts = (progress[ticket.messageID]?.screenless ?? 0) + 1
        guard intent.armedAt != nil, attempts <= Self.maximumScreenless else {
            progress[ticket.messageID]?.screenless = nil
            return finding(intent.candidate, .noScreen)
        }
        let decision = armAgain(intent, for: intent.candidate, .noScreen)
        let pause = min(TimeInterval(1 << attempts), Self.screenlessPause)
        progress[ticket.messageID]?.screenless = attempts
        progress[ticket.messageID]?.armed?.notBefore = now.addingTimeInterval(pause)
        return decision
    }

    /// It is really on the screen.
    ///
    /// - Returns: false for an attempt that is over: the page must be removed, and nothing is recorded.
    public mutating func shown(_ ticket: InAppPresentationID, at now: Date) -> Bool {
        guard case .presenting(var intent) = phase, intent.ticket == ticket else { return false }
        count(intent, at: now)
        intent.since = now
        phase = .onScreen(intent)
        return true
    }

    /// It left the screen. Call ``timePassed(at:in:policy:)`` afterwards.
    ///
    /// - Returns: the seconds that it was on the screen; nil when it was not, or belongs to another attempt.
    public mutating func closed(_ ticket: InAppPresentationID, at now: Date) -> TimeInterval? {
        guard case .onScreen(let intent) = phase, intent.ticket == ticket else { return nil }
        phase = .idle
        lastOnScreen = now
        return max(0, now.timeIntervalSince(intent.since))
    }

    /// - Returns: the intent, if it is the one that is being loaded.
    private mutating func endLoading(_ ticket: InAppPresentationID) -> Intent? {
        guard case .loading(let intent) = phase, intent.ticket == ticket else { return nil }
        phase = .idle
        return intent
    }

    /// A triggered message waits; one that the app asked for does not.
    private mutating func armAgain(
        _ intent: Intent, for candidate: InAppCandidate, _ reason: InAppReason
    ) -> InAppDecision {
        let waits = rearm(intent)
        if waits { progress[candidate.id]?.armed?.reportedReason = reason.code }
        return finding(candidate, reason, waits: waits)
    }

    /// Arms the message of an intent again.
    ///
    /// - Returns: whether it waits now.
    mutating func rearm(_ intent: Intent) -> Bool {
        guard let armedAt = intent.armedAt else { return false }
        let id = intent.ticket.messageID
        progress[id, default: Progress(trigger: intent.candidate.trigger)].armed = Armed(at: armedAt, isHeld: true)
        return true
    }

    mutating func count(_ intent: Intent, at now: Date) {
        impressions.shown(intent.candidate, at: now, takesRoom: true)
        progress[intent.ticket.messageID] = Progress(trigger: intent.candidate.trigger)
        shownInSession += 1
        lastOnScreen = now
    }
}

// MARK: - Inline messages

extension InAppRules {
    /// The inline message for a view: the first by priority whose time has come and whose limit is not reached. It
    /// needs no trigger, and gap and caps do not apply.
    public func inline(viewID: String, at now: Date, in situation: InAppSituation) -> InAppCandidate? {
        situation.candidates.filter { candidate in
            guard candidate.isFor(viewID: viewID), !inlineClosed.contains(candidate.id) else { return false }
            switch violatedTerm(of: candidate, at: now, in: situation) {
            case nil: return true
            // A message that was shown in this session stays in its place.
            case .exhausted?: return inlineShown.contains(candidate.id)
            default: return false
            }
        }.min(by: InAppCandidate.comesFirst)
    }

    /// Whether an inline message began in this period, by the server's clock.
    ///
    /// - Parameter former: excluded; nil for any earlier time.
    public func inlineBegan(after former: Date?, by now: Date, in situation: InAppSituation) -> Bool {
        situation.candidates.contains { candidate in
            guard candidate.type == .inline, let start = candidate.startsAt else { return false }
            return start <= now && start > former ?? .distantPast
        }
    }

    /// When the next inline message begins, by the device's clock.
    public func nextInlineStart(after now: Date, in situation: InAppSituation) -> Date? {
        situation.candidates.filter { $0.type == .inline }
            .compactMap { $0.startsAt?.addingTimeInterval(-situation.clockOffset) }
            .filter { $0 > now }.min()
    }

    /// An inline message is visible. It counts once in a session, however often its view appears.
    ///
    /// - Returns: whether it counts now.
    public mutating func inlineShown(_ candidate: InAppCandidate, at now: Date) -> Bool {
        guard inlineShown.insert(candidate.id).inserted else { return false }
        impressions.shown(candidate, at: now, takesRoom: false)
        return true
    }

    /// The terms of a visible inline message that end it; nil if it may stay.
    public func inlineObstacle(
        _ candidate: InAppCandidate, at now: Date, in situation: InAppSituation
    ) -> InAppReason? {
        inlineShown.contains(candidate.id) ? nil : violatedTerm(of: candidate, at: now, in: situation)
    }

    /// The person closed an inline message: it is not shown again in this session.
    public mutating func inlineClosed(_ id: String) {
        inlineClosed.insert(id)
    }
}
