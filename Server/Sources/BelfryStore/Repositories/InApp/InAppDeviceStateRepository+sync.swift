import BelfryModel
import BelfryServerModel

extension InAppDeviceStateRepository {
    /// The newest campaigns whose message a device has ever got for one person.
    package func campaigns(of device: Int64, contact: Int64, limit: Int) throws -> [CampaignID] {
        try connection.query(
            """
            SELECT campaign_id FROM in_app_copies WHERE device_id = ? AND contact_id = ? AND downloaded_at IS NOT NULL
            ORDER BY campaign_id DESC LIMIT ?
            """,
            [.integer(device), .integer(contact), .integer(limit)]
        ) { CampaignID($0.integer(0)) }.compactMap(\.self)
    }
}

extension InAppCampaignRepository {
    private enum EpochColumn: Int, ResultColumn {
        case campaign, epoch

        var sql: SQLText {
            switch self {
            case .campaign: "id"
            case .epoch: "display_epoch"
            }
        }
    }

    /// The version since which displays of a campaign count, for those of some campaigns that are in-app campaigns of
    /// the app.
    package func displayEpochs(of ids: [CampaignID], app: Int64) throws -> [CampaignID: Int] {
        guard !ids.isEmpty else { return [:] }
        let epochs = try connection.query(
            """
            SELECT \(EpochColumn.selectList) FROM campaigns
            WHERE id IN (\(connection.dialect.integers)) AND app_id = ? AND kind = \(word: CampaignKind.inApp)
            """,
            [.integers(ids.map(\.number)), .integer(app)]
        ) { row -> (CampaignID, Int)? in
            let row = ResultRow<EpochColumn>(row)
            return CampaignID(row.integer(.campaign)).map { ($0, Int(row.integer(.epoch))) }
        }
        return Dictionary(epochs.compactMap(\.self)) { first, _ in first }
    }
}
