import BelfryModel
import BelfryStore

extension CandidateSelection {
    /// Who gets what the campaign has for them now: its push, or its message.
    mutating func recipients() -> (recipients: [Recipient], verdicts: [Verdict]) {
        if load.isPlacing {
            let (placements, verdicts) = placements()
            return (placements.map(\.recipient), verdicts)
        }
        let (candidates, verdicts) = candidates()
        return (candidates.map(\.recipient), verdicts)
    }

    /// Whose message is placed in a centre now, opted out or not (MC-3), and who of them gets a badge push with it
    /// (BADGE-1); the verdicts are about the others.
    mutating func placements() -> (placements: [Placement], verdicts: [Verdict]) {
        var placements: [Placement] = []
        placements.reserveCapacity(load.recipients.count)
        var verdicts: [Verdict] = []
        for recipient in load.recipients {
            if let retryAt = recipient.retryAt, retryAt > now { continue }
            switch placement(of: recipient) {
            case .success(let placement): placements.append(placement)
            case .failure(let verdict): verdicts.append(verdict)
            }
        }
        return (placements.withOnePushPerToken, verdicts)
    }

    private mutating func placement(of recipient: Recipient) -> Result<Placement, Verdict> {
        // All that is left to do for it is its badge push.
        let isPlaced = load.placed.contains(recipient.device)
        guard isPlaced || recipient.contact != nil else { return .failure(.suppressed(recipient, .noContact)) }
        let moment: Moment
        switch self.moment(of: recipient) {
        case .success(let now): moment = now
        case .failure(let verdict): return .failure(isPlaced ? verdict.placed : verdict)
        }
        let token = load.badge == nil ? nil : badgeToken(of: recipient)
        return .success(
            Placement(
                recipient: recipient, timing: moment.timing, due: moment.due,
                push: token.map {
                    Candidate(recipient: recipient, token: $0, timing: moment.timing, due: moment.due)
                }
            )
        )
    }

    /// Nil for a device that may get no push: it learns its badge when it asks next.
    private func badgeToken(of recipient: Recipient) -> PushToken? {
        guard case .send(let token) = RecipientDecision.decide(recipient, now: now, providers: providers) else {
            return nil
        }
        return token
    }
}

extension [Placement] {
    /// Of several devices with one push token the last to register it gets the push, or it would show another's badge.
    fileprivate var withOnePushPerToken: [Placement] {
        var losers: [Verdict] = []
        _ = compactMap(\.push).withoutDuplicates(&losers)
        guard !losers.isEmpty else { return self }
        let devices = Set(losers.map(\.update.device))
        return map { devices.contains($0.recipient.device) ? $0.alone : $0 }
    }
}
