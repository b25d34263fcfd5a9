import BelfryModel
import BelfryStore

extension CandidateSelection {
    /// The recipients of the campaign's push or message now; the results are for the others.
    mutating func recipients() -> (recipients: [Recipient], results: [DeliveryResult]) {
        if load.isPlacing {
            let (placements, results) = placements()
            return (placements.map(\.recipient), results)
        }
        let (candidates, results) = candidates()
        return (candidates.map(\.recipient), results)
    }

    /// The recipients for whom a message is placed in a message center now, including those who opted out of push
    /// (MC-3), with a badge push for those who get one (BADGE-1). The results are for the others. In a campaign with a
    /// push of its own, the placements include recipients without a contact, with no message to place, and exclude
    /// recipients who have the message already.
    mutating func placements() -> (placements: [InboxWrite], results: [DeliveryResult]) {
        var placements: [InboxWrite] = []
        placements.reserveCapacity(load.recipients.count)
        var results: [DeliveryResult] = []
        for recipient in load.recipients {
            if let retryAt = recipient.retryAt, retryAt > now { continue }
            guard load.isPlacing || !recipient.isPlaced else { continue }
            switch placement(of: recipient) {
            case .success(let placement): placements.append(placement)
            case .failure(let result): results.append(result)
            }
        }
        return (placements.withOnePushPerToken, results)
    }

    private mutating func placement(of recipient: Recipient) -> Result<InboxWrite, DeliveryResult> {
        // If the message is placed already, only its badge push is left to do.
        let isPlaced = recipient.isPlaced
        if load.isPlacing, !isPlaced {
            if load.isRecalled { return .failure(.suppressed(recipient, .recalled)) }
            if recipient.contact == nil { return .failure(.suppressed(recipient, .noContact)) }
        }
        let moment: Moment
        switch self.moment(of: recipient) {
        case .success(let now): moment = now
        case .failure(let result): return .failure(isPlaced ? result.placed : result)
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

    /// The token for the badge push; nil for a device that may not get pushes. Such a device gets its badge with its
    /// next request.
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
