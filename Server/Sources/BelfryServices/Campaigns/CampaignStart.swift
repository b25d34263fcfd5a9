import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Starts a campaign, at its launch or when its time has come. It runs in the transaction that saves the row
/// afterwards.
struct CampaignStart {
    let connection: any SQLConnection
    let now: Date

    /// Checks what a launch requires, and a resume before it: credentials, unless devices fetch the campaign's
    /// messages, and that everything that the draft refers to is as it was when the draft was saved.
    func check(_ row: CampaignRow, by result: CampaignCheckResult?) throws {
        let isFetched = row.campaign.draft.kind == .messageCenter || row.campaign.draft.kind.isInApp
        guard try isFetched || !connection.credentials.all(app: row.app).isEmpty else {
            throw ServiceError.conflict(
                message: "The app has no credentials for any push service. PUT credentials/apns, fcm or webpush first."
            )
        }
        _ = try CampaignCheckResult.checked(row.campaign.draft, by: result, app: row.app, in: connection)
        try checkTimes(row.campaign.draft)
        if row.campaign.draft.kind.isInApp {
            try InAppPublication(connection: connection, now: now).checkLaunch(row)
        }
    }

    /// Throws if a time of the draft has passed, so that it is too late to start.
    func checkTimes(_ draft: CampaignDraft) throws(ServiceError) {
        if let lateness = draft.lateness(now: now) { throw .invalid(field: lateness.field, lateness.error) }
    }

    /// Starts sending. The audience consists of the devices that are known now and that match when they are planned.
    func begin(_ row: inout CampaignRow) throws {
        guard !row.campaign.draft.kind.isInApp else {
            return try InAppPublication(connection: connection, now: now).publish(&row)
        }
        row.campaign.status = .sending
        row.campaign.launchedAt = now
        row.scheduledAt = nil
        row.retriesFrom = now
        row.planEnd = try connection.devices.highestID()
    }

    /// Starts a scheduled campaign whose time has come, and saves it.
    ///
    /// - Returns: the campaign, if it cannot be read.
    func beginDue(_ id: Int64) throws -> FailedCampaign? {
        do {
            guard var row = try CampaignID(id).flatMap(connection.campaigns.find), row.campaign.status == .scheduled
            else { return nil }
            try begin(&row)
            try connection.campaigns.save(row)
            if row.campaign.draft.kind.isInApp { try connection.inAppRevisions.advance(app: row.app, now: now) }
            return nil
        } catch let error where error.meansUnreadable {
            return try CampaignEnd(connection: connection, now: now).failCorrupt(id)
        }
    }
}
