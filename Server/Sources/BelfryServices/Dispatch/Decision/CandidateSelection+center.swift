import BelfryModel
import BelfryStore

extension CandidateSelection {
    /// Who gets the campaign's push or message now.
    mutating func recipients() -> (recipients: [Recipient], verdicts: [DeliveryResult]) {
        if load.isPlacing {
            let (placements, verdicts) = placements()
            return (placements.map(\.recipient), verdicts)
        }
        let (candidates, verdicts) = candidates()
        return (candidates.map(\.recipient), verdicts)
    }

    /// For whom a message is placed in a message center now, also if they opted out of push (MC-3), and who of them
    /// gets a badge push (BADGE-1). The verdicts are about the others. Of a campaign with a push of its own, who has no
    /// contact is among them, with nothing to be placed; who has the message already is not.
    mutating func placements() -> (placements: [InboxWrite], verdicts: [DeliveryResult]) {
        var placements: [InboxWrite] = []
        placements.reserveCapacity(load.recipients.count)
        var verdicts: [DeliveryResult] = []
        for recipient in load.recipients {
            if let retryAt = recipient.retryAt, retryAt > now { continue }
            guard load.isPlacing || !recipient.isPlaced else { continue }
            switch placement(of: recipient) {
            case .success(let placement): placements.append(placement)
            case .failure(let verdict): verdicts.append(verdict)
            }
        }
        return (placements.withOnePushPerToken, verdicts)
    }

    private mutating func placement(of recipient: Recipient) -> Result<InboxWrite, DeliveryResult> {
        // Only its badge push is left to do.
        let isPlaced = recipient.isPlaced
        if load.isPlacing, !isPlaced {
            if load.isRecalled { return .failure(.suppressed(recipient, .recalled)) }
            if recipient.contact == nil { return .failure(.suppressed(recipient, .noContact)) }
        }
        let moment: Moment
        switch self.moment(of: recipient) {
        case .success(let now): moment = now
        case .failure(let verdict): return .failure(isPlaced ? verdict.placed : verdict)
        }
        let token = load.isPlacing && load.badge != nil ? badgeToken(of: recipient) : nil
        return .success(
            InboxWrite(
                recipient: recipient, timing: moment.timing, due: moment.due,
                push: token.map {
                    Candidate(recipient: recipient, token: $0, timing: moment.timing, due: moment.due)
                }
            )
        )
    }

    /// Nil for a device that may not get pushes: it gets its badge with its next request.
    private func badgeToken(of recipient: Recipient) -> PushToken? {
        guard case .send(let token) = RecipientDecision.decide(recipient, now: now, providers: providers) else {
            return nil
        }
        return token
    }
}

extension [InboxWrite] {
    /// If several devices have one push token, only the last that registered it gets the push, with its own badge.
    fileprivate var withOnePushPerToken: [InboxWrite] {
        var losers: [DeliveryResult] = []
        _ = compactMap(\.push).withoutDuplicates(&losers)
        guard !losers.isEmpty else { return self }
        let devices = Set(losers.map(\.update.device))
        return map { devices.contains($0.recipient.device) ? $0.alone : $0 }
    }
}
