import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

extension SQLConnection {
    /// Counts one more attempt at a subject before it is begun; one that was begun too often is set aside.
    ///
    /// - Parameters:
    ///   - owner: who begins it.
    ///   - lease: seconds for which it is nobody else's; 0 where it has a lease of its own.
    func begin(_ subject: WorkSubject, owner: String, lease: TimeInterval = 0, now: Date) throws -> AttemptStart {
        let known = try workAttempts.find(subject)
        switch AttemptRule.decide(known, by: owner, now: now) {
        case .leave: return .left
        case .setAside:
            let work = SetAsideWork(subject: subject, attempts: known?.attempts ?? 0, error: known?.reason)
            try setAside(work, app: known?.app, now: now)
            return .setAside(work)
        case .begin(let attempt):
            let app = try known?.app ?? workAttempts.app(of: subject)
            try workAttempts.save(
                WorkAttempt(
                    subject: subject, app: app, attempts: attempt, owner: owner,
                    leaseUntil: now.addingTimeInterval(lease), reason: known?.reason, since: known?.since ?? now,
                    reached: known?.reached ?? 0
                )
            )
            return .begun
        }
    }

    /// Takes a subject out of its queue, so that the rest goes on, and keeps all that it takes to try it again.
    private func setAside(_ work: SetAsideWork, app: Int64?, now: Date) throws {
        let subject = work.subject
        try workAttempts.save(
            WorkAttempt(
                subject: subject, app: app, status: .quarantined, attempts: work.attempts, leaseUntil: now,
                reason: work.reason, since: now
            )
        )
        switch subject.kind {
        case .registration:
            try registrations.finish(subject.number, status: .partlyRejected, rejected: [.registration], now: now)
        case .batch:
            guard let campaign = subject.campaign,
                let batch = try batches.find(campaign: campaign, number: subject.part)
            else { return }
            try batches.setQuarantined(true, batch, now: now)
            try noteQuarantine(of: campaign)
        case .plan: try pausePlan(subject, because: work.reason, now: now)
        // Its row stays as it is: what stands in quarantine is lent to nobody.
        case .silentPush, .upkeep: break
        }
    }

    /// Says of a sending campaign what keeps it from its end; nothing when nothing does.
    func noteQuarantine(of campaign: CampaignID) throws {
        let count = try batches.quarantined(of: campaign)
        let subject = count == 1 ? "A batch of its devices is" : "\(count) batches of its devices are"
        try campaigns.note(
            count == 0 ? nil : "\(subject) in quarantine: see 'belfry quarantine list', retry or drop.", of: campaign
        )
    }

    /// A campaign that would send or be shown pauses, so that everybody sees that it does not get on. What it says is not
    /// read: that may be what ends the process.
    private func pausePlan(_ subject: WorkSubject, because reason: String, now: Date) throws {
        let sentence = "Work on it is in quarantine (\(subject)). \(reason) Resume or cancel it."
        guard let id = subject.campaign, try campaigns.pauseUnread(id, because: sentence) else { return }
        if let app = try campaigns.appOfInApp(id) { try inAppClocks.advance(app: app, now: now) }
    }
}

extension RejectedField {
    /// Nothing of the registration was applied.
    static let registration = RejectedField(
        field: "registration", reason: "notApplied",
        message: "The server could not apply this registration, and nothing of it was. Its log says why."
    )
}
