import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// What retrying and dropping mean for each kind of work. Whoever calls these knows that it is in quarantine.
extension SQLConnection {
    func retry(_ subject: WorkSubject, now: Date) throws {
        try workAttempts.release(subject)
        switch subject.kind {
        case .registration:
            try registrations.unfinish(subject.number)
            // In no group, lest it takes others along.
            try workAttempts.save(WorkAttempt(subject: subject, attempts: 0, leaseUntil: now, since: now))
        case .batch:
            guard let batch = try batch(subject) else { return }
            try batches.setQuarantined(false, batch, now: now)
            try noteQuarantine(of: batch.campaign)
        case .plan:
            guard var row = try subject.campaign.flatMap(campaigns.find), row.campaign.status == .paused else { return }
            try resume(&row, now: now)
            try campaigns.save(row)
            if row.isOfInApp { try inAppClocks.advance(app: row.app, now: now) }
        // Its lease has ended long ago.
        case .silentPush, .upkeep: break
        }
    }

    func drop(_ subject: WorkSubject, now: Date) throws {
        switch subject.kind {
        case .upkeep:
            throw ServiceError.conflict(message: "A step of the upkeep cannot be dropped: retry it.")
        case .registration: break
        case .batch:
            guard let batch = try batch(subject) else { break }
            // What lies in its centre is there, with or without its badge push.
            try deliveries.acceptPlaced(of: batch, now: now, noting: Verdict.noteOfCancelledBadgePush)
            try deliveries.endPending(
                of: batch.campaign, devices: batch.devices, as: .rejected, reason: .quarantined, now: now
            )
            try batches.delete(batch)
            try noteQuarantine(of: batch.campaign)
            try completeIfDone(batch.campaign, now: now)
        case .plan: try cancelPlan(subject, now: now)
        case .silentPush: try silentPushes.forget(device: subject.number)
        }
        try workAttempts.release(subject)
    }

    private func batch(_ subject: WorkSubject) throws -> Batch? {
        try subject.campaign.flatMap { try batches.find(campaign: $0, number: subject.part) }
    }

    /// What the campaign says is not read: that may be what ends the process.
    private func cancelPlan(_ subject: WorkSubject, now: Date) throws {
        guard let id = subject.campaign else { return }
        try campaigns.cancelUnread(
            id, because: "Its planning was dropped from quarantine by an operator.", now: now
        )
        guard let app = try campaigns.appOfInApp(id) else { return }
        try deliveries.endPending(
            of: id, devices: 0...Int64.max, as: .cancelled, reason: .campaignCancelled, now: now
        )
        try inAppClocks.advance(app: app, now: now)
    }
}

extension DeliveryReason {
    /// The server failed at its batch each time, and an operator has dropped that (SEC-8).
    static let quarantined = DeliveryReason(rawValue: "quarantined")
}
