import BelfryCampaigns
import BelfryModel
import BelfryStore
import Foundation

/// Retries or drops work of each kind, in the transaction that has found the subject in quarantine.
struct QuarantineRelease {
    let connection: any SQLConnection
    let now: Date
    /// Whether the deliveries that it ends are reported to the traces.
    let isTraced: Bool

    func retry(_ subject: WorkSubject) throws {
        try connection.workAttempts.release(subject)
        switch subject.kind {
        case .registration:
            if let key = try connection.registrations.key(of: subject.number) {
                try connection.registrations.unfinish(key)
            }
            // It is retried alone, so that it cannot crash others together with it.
            try connection.workAttempts.save(
                WorkAttempt(subject: subject, attempts: 0, leaseUntil: now, since: now)
            )
        case .batch:
            guard let batch = try batch(subject) else { return }
            try connection.batches.setQuarantined(false, batch, now: now)
            try AttemptLog(connection: connection, now: now).noteQuarantine(of: batch.campaign)
        case .plan:
            // A campaign that was paused before stays paused; its audience is selected all the same.
            guard var row = try subject.campaign.flatMap(connection.campaigns.find), row.campaign.status == .paused,
                !AttemptLog.isPausedOtherwise(row.campaign)
            else { return }
            if row.campaign.isPausedBeforeLaunch {
                try CampaignStart(connection: connection, now: now).checkTimes(row.campaign.draft)
            }
            try CampaignResumption(connection: connection, now: now).resume(&row)
            try connection.campaigns.save(row)
            if row.isOfInApp { try connection.inAppRevisions.advance(app: row.app, now: now) }
        // The recall starts again from its first page.
        case .recall:
            guard let id = subject.campaign else { return }
            let app = try connection.workAttempts.app(of: subject)
            try MessageRecall.note(id, app: app, for: nil, now: now, in: connection)
        // Its lease has expired long ago.
        case .silentPush, .upkeep, .attributeReview, .contactFollowing, .eventMove: break
        }
    }

    /// - Returns: the deliveries that it has ended, if they are reported to the traces.
    func drop(_ subject: WorkSubject) throws -> [EndedDeliveries] {
        var ended: [EndedDeliveries] = []
        switch subject.kind {
        case .upkeep:
            throw ServiceError.conflict(message: "A maintenance step cannot be dropped. Retry it.")
        case .eventMove:
            // The events would stay with a contact that no longer exists, where an erasure would not find them
            // (REG-36).
            throw ServiceError.conflict(message: "Events on their way to a contact cannot be dropped. Retry them.")
        // The remaining messages stay until somebody recalls them again.
        case .registration, .recall: break
        case .batch:
            guard let batch = try batch(subject) else { break }
            ended = try ending.pending(of: batch.campaign, devices: batch.devices, listed: batch.listed) {
                // The message in its message center exists, with or without its badge push.
                try connection.deliveries.acceptPlaced(
                    of: batch, now: now, noting: DeliveryResult.noteOfCancelledBadgePush
                )
                try connection.deliveries.endPending(
                    of: batch.campaign, devices: batch.devices, listed: batch.listed, as: .rejected,
                    reason: .quarantined, now: now
                )
            }
            try connection.batches.delete(batch)
            try AttemptLog(connection: connection, now: now).noteQuarantine(of: batch.campaign)
            try CampaignEnd(connection: connection, now: now).completeIfDone(batch.campaign)
        case .plan: ended = try cancelPlan(subject)
        case .silentPush: try connection.silentPushes.forget(device: subject.number)
        case .contactFollowing: try connection.contactFollowings.abandon(contact: subject.number)
        case .attributeReview:
            // The present page is skipped, and the pages after it are reviewed.
            guard let review = try connection.attributeReviews.find(app: subject.number) else { break }
            _ = try connection.attributeReviews.advance(review, to: review.behindThisPage)
        }
        try connection.workAttempts.release(subject)
        return ended
    }

    private var ending: DeliveryEnding { DeliveryEnding(connection: connection, isTraced: isTraced) }

    private func batch(_ subject: WorkSubject) throws -> Batch? {
        try subject.campaign.flatMap { try connection.batches.find(campaign: $0, number: subject.part) }
    }

    /// The campaign's content is not read, because that may be what crashes the process.
    private func cancelPlan(_ subject: WorkSubject) throws -> [EndedDeliveries] {
        guard let id = subject.campaign else { return [] }
        try connection.campaigns.cancelUnread(
            id, because: "Its planning was dropped from quarantine by an operator.", now: now
        )
        guard let app = try connection.campaigns.appOfInApp(id) else { return [] }
        let ended = try ending.pending(of: id, devices: 0...Int64.max, readsCampaign: false) {
            try connection.deliveries.endPending(
                of: id, devices: 0...Int64.max, as: .cancelled, reason: .campaignCancelled, now: now
            )
        }
        try connection.inAppRevisions.advance(app: app, now: now)
        return ended
    }
}

extension DeliveryReason {
    /// The server failed at the batch each time, and an operator has dropped it (SEC-8).
    static let quarantined = DeliveryReason(rawValue: "quarantined")
}
