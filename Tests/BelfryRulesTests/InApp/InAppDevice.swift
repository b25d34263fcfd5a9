import BelfryModel
import BelfryRules
import Foundation

/// A device that shows in-app messages by the rules, on a clock that tests turn. After every step it is written and read
/// back, as the store does, so that nothing may live in memory only.
struct InAppDevice {
    private(set) var rules = InAppRules()
    var policy = InAppPolicy()
    var situation = InAppSituation(candidates: [], isForeground: true)
    var now = deviceEpoch

    init(_ candidates: [InAppCandidate] = [], policy: InAppPolicy = InAppPolicy()) {
        self.policy = policy
        situation.candidates = candidates
    }

    /// A step of the rules.
    mutating func step<Result>(
        _ body: (inout InAppRules, Date, InAppSituation, InAppPolicy) -> Result
    ) -> Result {
        rules.rebase(to: now)
        let result = body(&rules, now, situation, policy)
        do {
            let stored = try restarted(rules)
            if stored == rules { rules = stored } else { rules = InAppRules() }
        } catch {
            rules = InAppRules()
        }
        return result
    }

    mutating func happens(_ names: String...) -> [String] {
        happens(names.map { TriggerEvent(name: $0) })
    }

    mutating func happens(_ events: [TriggerEvent]) -> [String] {
        texts(step { $0.happened(events, at: $1, in: $2, policy: $3) })
    }

    mutating func beginsSession() -> [String] {
        let event = TriggerEvent(name: EventName.sessionStart.rawValue)
        return texts(step { $0.sessionStarted([event], at: $1, in: $2, policy: $3) })
    }

    mutating func passes(_ seconds: TimeInterval) -> [String] {
        now += seconds
        return texts(step { $0.timePassed(at: $1, in: $2, policy: $3) })
    }

    mutating func messagesChange(recalled: Set<String> = []) -> [String] {
        texts(step { $0.messagesChanged(recalled: recalled, at: $1, in: $2, policy: $3) })
    }

    mutating func mayPresent() -> [String] {
        guard let ticket = rules.underWay else { return [] }
        return mayPresent(ticket)
    }

    mutating func mayPresent(_ ticket: InAppPresentationID) -> [String] {
        texts(step { $0.mayPresent(ticket, at: $1, in: $2, policy: $3).map { [$0] } ?? [] })
    }

    /// The decision is carried out up to the display.
    mutating func shows() -> Bool {
        _ = mayPresent()
        guard let ticket = rules.underWay else { return false }
        return step { rules, now, _, _ in rules.shown(ticket, at: now) }
    }

    /// - Returns: the seconds that it was on the screen.
    mutating func closes() -> TimeInterval? {
        guard let ticket = rules.onScreen else { return nil }
        return step { rules, now, _, _ in rules.closed(ticket, at: now) }
    }

    /// The event happens, and what it brings is seen and closed.
    mutating func sees(_ name: String) -> [String] {
        let decisions = happens(name)
        if shows() { _ = closes() }
        return decisions
    }

    mutating func asks(for id: String) -> [String] {
        guard let candidate = situation.candidates.first(where: { $0.id == id }) else { return [] }
        return texts([step { $0.asked(for: candidate, at: $1, in: $2, policy: $3) }])
    }

    mutating func person(_ owner: Int) -> [String] {
        texts(step { rules, now, _, _ in rules.personChanged(owner: owner, at: now) })
    }

    /// The process is killed and starts again.
    mutating func isKilled() -> [String] {
        situation.isPaused = false
        return texts(step { rules, _, _, _ in rules.launched() })
    }
}

/// Decisions in words: `load a`, `a not: vetoed`, `a waits: paused`.
func texts(_ decisions: [InAppDecision]) -> [String] {
    decisions.map { decision in
        switch decision {
        case .load(let ticket): "load \(ticket.messageID)"
        case .present(let ticket): "present \(ticket.messageID)"
        case .run(let ticket): "run \(ticket.messageID)"
        case .notShown(let finding):
            "\(finding.messageID) \(finding.waits ? "waits" : "not"): \(finding.reason.code)"
        case .drop(let ticket, let reason): "drop \(ticket.messageID): \(reason.code)"
        case .close(let ticket, let reason): "close \(ticket.messageID): \(reason.code)"
        case .assumedShown(let ticket): "assumed \(ticket.messageID)"
        }
    }
}

/// A modal message of a campaign, triggered by an event.
func message(
    _ id: String, campaign: Int = 1, on event: String = "buy", _ change: (inout InAppCandidate) -> Void = { _ in }
) -> InAppCandidate {
    var candidate = InAppCandidate(
        id: id, campaignID: "\(campaign)", type: .modal, trigger: InAppTrigger(event: event)
    )
    change(&candidate)
    return candidate
}
