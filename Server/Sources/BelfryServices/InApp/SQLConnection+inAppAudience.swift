import BelfryModel
import BelfryStore
import Foundation

extension SQLConnection {
    /// The app's in-app campaigns that go on and whose audience holds the device now (IAM-1).
    func inAppCampaigns(holding device: Int64, app: Int64, now: Date) throws -> [CampaignRow] {
        let campaigns = try inAppCampaigns.active(app: app).filter {
            $0.campaign.draft.inApp?.hasEnded(by: now) == false
        }
        guard !campaigns.isEmpty else { return [] }
        let sql = try audienceSQL(app: app, now: now)
        return try campaigns.filter { try holds(device, in: $0, sql) }
    }

    /// Whether the audience of one campaign holds the device now.
    func inAppCampaign(_ row: CampaignRow, holds device: Int64, now: Date) throws -> Bool {
        try holds(device, in: row, audienceSQL(app: row.app, now: now))
    }

    /// An audience that cannot be selected any more, for an attribute has another type than when it was saved, holds
    /// nobody; the other campaigns go on.
    private func holds(_ device: Int64, in row: CampaignRow, _ sql: AudienceSQL) throws -> Bool {
        let audience: SQLFragment
        do throws(Refusal) {
            audience = try sql.compile(row.campaign.draft.audience)
        } catch {
            return false
        }
        return try audiences.holds(device, app: row.app, audience: audience)
    }
}
