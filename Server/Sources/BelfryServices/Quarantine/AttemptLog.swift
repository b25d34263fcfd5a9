import BelfryCampaigns
import BelfryModel
import BelfryStore
import Foundation

/// Work that may end the process is counted before it is begun, and set aside when that happens too often (SEC-8): in
/// the transaction that takes it up, or in one of its own.
struct AttemptLog {
    let connection: any SQLConnection
    let now: Date

    /// Counts one more attempt at a subject before it is begun; one that was begun too often is quarantined.
    ///
    /// - Parameters:
    ///   - owner: who begins it.
    ///   - lease: seconds for which it is nobody else's; 0 where it has a lease of its own.
    func begin(_ subject: WorkSubject, owner: String, lease: TimeInterval = 0) throws -> AttemptStart {
        let known = try connection.workAttempts.find(subject)
        switch AttemptRule.decide(known, by: owner, now: now) {
        case .leave: return .left
        case .quarantine:
            let work = QuarantinedSubject(subject: subject, attempts: known?.attempts ?? 0, error: known?.reason)
            try quarantine(work, app: known?.app)
            return .quarantined(work)
        case .begin(let attempt):
            let app = try known?.app ?? connection.workAttempts.app(of: subject)
            try connection.workAttempts.save(
                WorkAttempt(
                    subject: subject, app: app, attempts: attempt, owner: owner,
                    leaseUntil: now.addingTimeInterval(lease), reason: known?.reason, since: known?.since ?? now,
                    reached: known?.reached ?? 0
                )
            )
            return .begun
        }
    }

    /// Counts one more attempt at the first of these that may be worked on alone now.
    ///
    /// - Returns: that one, if there is one; and what came of each that was considered.
    func beginFirst<Work>(
        of found: [Work], owner: String, subject: (Work) -> WorkSubject
    ) throws -> (begun: Work?, starts: [AttemptStart]) {
        var starts: [AttemptStart] = []
        for work in found {
            let start = try begin(subject(work), owner: owner)
            starts.append(start)
            if start == .begun { return (work, starts) }
        }
        return (nil, starts)
    }

    /// Takes a subject out of its queue, so that the others continue, and keeps what a retry needs.
    func quarantine(_ work: QuarantinedSubject, app: Int64?) throws {
        let subject = work.subject
        try connection.workAttempts.save(
            WorkAttempt(
                subject: subject, app: app, status: .quarantined, attempts: work.attempts, leaseUntil: now,
                reason: work.reason, since: now
            )
        )
        switch subject.kind {
        case .registration:
            try connection.registrations.finish(
                subject.number, status: .partlyRejected, rejected: [.registration], now: now
            )
        case .batch:
            guard let campaign = subject.campaign,
                let batch = try connection.batches.find(campaign: campaign, number: subject.part)
            else { return }
            try connection.batches.setQuarantined(true, batch, now: now)
            try noteQuarantine(of: campaign)
        case .plan: try pausePlan(subject, because: work.reason)
        // Its row stays as it is: what stands in quarantine is lent to nobody.
        case .silentPush, .upkeep: break
        }
    }

    /// Says of a sending campaign what keeps it from its end; nothing when nothing does.
    func noteQuarantine(of campaign: CampaignID) throws {
        let count = try connection.batches.quarantined(of: campaign)
        let subject = count == 1 ? "A batch of its devices is" : "\(count) batches of its devices are"
        try connection.campaigns.note(
            count == 0 ? nil : "\(subject) in quarantine: see 'belfry quarantine list', then retry or drop.",
            of: campaign
        )
    }

    /// A campaign that would send or be shown pauses, so that everybody sees that it does not get on. What it says is not
    /// read: that may be what ends the process.
    private func pausePlan(_ subject: WorkSubject, because reason: String) throws {
        let sentence = "Work on it is in quarantine (\(subject)). \(reason) Resume or cancel it."
        guard let id = subject.campaign, try connection.campaigns.pauseUnread(id, because: sentence) else { return }
        guard let app = try connection.campaigns.appOfInApp(id) else { return }
        try connection.inAppRevisions.advance(app: app, now: now)
    }
}

extension RejectedField {
    /// Nothing of the registration was applied.
    static let registration = RejectedField(
        field: "registration", reason: "notApplied",
        message: "The server could not apply this registration and changed nothing. Its log has the details."
    )
}
