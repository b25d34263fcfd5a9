import BelfryCampaigns
import BelfryModel
import BelfryStore
import Foundation

/// Decides about recipients at one moment. It handles millions, so values that many share are computed once per round.
struct CandidateSelection {
    let load: BatchContext
    let now: Date
    let providers: Set<PushProvider>
    private var zones: [String?: RecipientZone] = [:]

    init(_ load: BatchContext, now: Date) {
        self.load = load
        self.now = now
        providers = Set(load.credentials.keys)
    }

    /// The recipients who get the message now; the results are for the others.
    mutating func candidates() -> (candidates: [Candidate], results: [DeliveryResult]) {
        var candidates: [Candidate] = []
        candidates.reserveCapacity(load.recipients.count)
        var results: [DeliveryResult] = []
        for recipient in load.recipients {
            switch RecipientDecision.decide(recipient, now: now, providers: providers) {
            case .later: continue
            case .suppress(let reason): results.append(.suppressed(recipient, reason))
            case .send(let token) where token.provider == .webpush && !load.goesToBrowsers:
                results.append(.suppressed(recipient, .browser))
            case .send(let token):
                switch due(recipient, token) {
                case .success(let candidate): candidates.append(candidate)
                case .failure(let result): results.append(result)
                }
            }
        }
        return (candidates.withoutDuplicates(&results), results)
    }

    private mutating func due(_ recipient: Recipient, _ token: PushToken) -> Result<Candidate, DeliveryResult> {
        moment(of: recipient).map {
            Candidate(recipient: recipient, token: token, timing: $0.timing, due: $0.due)
        }
    }

    /// When a recipient's message is due according to the schedule.
    struct Moment {
        let timing: MessageTiming
        let due: DeliveryUpdate.Due?
    }

    /// The time of a recipient's message; fails for recipients whose time has not come, or is over.
    mutating func moment(of recipient: Recipient) -> Result<Moment, DeliveryResult> {
        guard let schedule = load.schedule else { return timed(recipient, start: load.launchedAt, due: nil) }
        let zone = zone(of: recipient)
        switch schedule.due(at: now, launchedAt: load.launchedAt, zone: zone) {
        case .never(let reason):
            return .failure(.suppressed(recipient, reason))
        case .later(let date, let reason):
            return .failure(.waiting(recipient, until: date, note: reason.note(date, in: zone)))
        case .now:
            let start = schedule.start(launchedAt: load.launchedAt, zone: zone)
            // Without a local time, or after a wait, the ledger's row already has the time and the note.
            let due =
                schedule.localAt == nil || recipient.dueAt != nil
                ? nil : DeliveryUpdate.Due(at: start, note: DueReason.scheduled.note(start, in: zone))
            return timed(recipient, start: max(start, recipient.dueAt ?? start), due: due)
        }
    }

    private func timed(
        _ recipient: Recipient, start: Date, due: DeliveryUpdate.Due?
    ) -> Result<Moment, DeliveryResult> {
        let timing = MessageTiming(start: start, ttlSeconds: load.content.ttlSeconds, endsAt: load.endsAt)
        if timing.isExpired(at: now) { return .failure(.suppressed(recipient, .expired)) }
        return .success(Moment(timing: timing, due: due))
    }

    private mutating func zone(of recipient: Recipient) -> RecipientZone {
        if let zone = zones[recipient.timeZone] { return zone }
        let zone = RecipientZone(device: recipient.timeZone, app: load.timeZone)
        zones[recipient.timeZone] = zone
        return zone
    }
}

extension [Candidate] {
    /// If several devices have one push token, keeps the one that registered it last; the others get results. A token
    /// belongs to one device (REG-23), except when devices registered it at the same moment.
    func withoutDuplicates(_ results: inout [DeliveryResult]) -> [Candidate] {
        var holders: [String: Int] = [:]
        holders.reserveCapacity(count)
        var losers: Set<Int> = []
        for (index, candidate) in enumerated() {
            guard let other = holders.updateValue(index, forKey: candidate.token.value) else { continue }
            let isOlder =
                (candidate.recipient.tokenAt ?? .distantPast) < (self[other].recipient.tokenAt ?? .distantPast)
            losers.insert(isOlder ? index : other)
            if isOlder { holders[candidate.token.value] = other }
        }
        guard !losers.isEmpty else { return self }
        results += losers.sorted().map { .suppressed(self[$0].recipient, .duplicateToken) }
        return indices.filter { !losers.contains($0) }.map { self[$0] }
    }
}

extension DueReason {
    /// The ledger's note about a wait: the recipient's local time and the origin of the zone.
    fileprivate func note(_ date: Date, in zone: RecipientZone) -> String {
        let clock = "\(zone.clock(at: date)) in \(zone.note)"
        return switch self {
        case .scheduled: clock
        case .quietHours: "the end of quiet hours, \(clock)"
        }
    }
}

/// What to do about one recipient of a batch. It is decided when the message is due, so that a device that opted out
/// after the launch gets nothing.
enum RecipientDecision: Hashable, Sendable {
    case send(PushToken)
    case suppress(DeliveryReason)
    /// The time of the retry has not come.
    case later

    /// Whether the device may get a push at all, regardless of the schedule.
    ///
    /// - Parameter providers: the push services that the app has credentials for.
    static func decide(_ recipient: Recipient, now: Date, providers: Set<PushProvider>) -> RecipientDecision {
        if let retryAt = recipient.retryAt, retryAt > now { return .later }
        if let reason = recipient.consent.suppression { return .suppress(reason) }
        guard let token = recipient.pushToken else { return .suppress(.noToken) }
        guard providers.contains(token.provider) else { return .suppress(.noCredentials) }
        return .send(token)
    }
}
