import BelfryModel
import Foundation

/// What devices have downloaded of in-app campaigns, and what they report about it (IAM-3, IAM-9).
///
/// The rows of a campaign are the source of its figures, so they are kept as long as the campaign, like the ledger's
/// rows. Only the erasure of a person deletes theirs.
package struct InAppDeviceStateRepository {
    let connection: any SQLConnection

    /// Records downloads before the devices get them. A greater epoch restarts the count of displays.
    package func save(_ downloads: [InAppDownload]) throws {
        try connection.executeEach(
            """
            INSERT INTO in_app_copies (campaign_id, device_id, contact_id, version, downloaded_at, epoch,
                \(Self.sums)) VALUES (?, ?, ?, ?, ?, ?, 0, 0, 0, 0, 0)
            ON CONFLICT (campaign_id, device_id, contact_id) DO UPDATE SET version = excluded.version,
                downloaded_at = excluded.downloaded_at, recalled_at = NULL,
                shown = CASE WHEN excluded.epoch > in_app_copies.epoch THEN 0 ELSE in_app_copies.shown END,
                epoch = CASE WHEN excluded.epoch > in_app_copies.epoch THEN excluded.epoch
                    ELSE in_app_copies.epoch END
            """,
            downloads.map {
                [
                    .integer($0.campaign.number), .integer($0.device), .integer($0.contact), .integer($0.version),
                    .date($0.at), .integer($0.epoch),
                ]
            }
        )
    }

    static let sums: SQLText = "shown, displays, clicks, dismissals, screen_time"

    /// Records that a device was told to remove messages.
    package func withdraw(_ campaigns: [CampaignID], device: Int64, contact: Int64, now: Date) throws {
        guard !campaigns.isEmpty else { return }
        try connection.execute(
            """
            UPDATE in_app_copies SET recalled_at = ?
            WHERE campaign_id IN (\(connection.dialect.integers)) AND device_id = ? AND contact_id = ?
            """,
            [.date(now), .integers(campaigns.map(\.number)), .integer(device), .integer(contact)]
        )
    }

    package func find(campaign: CampaignID, device: Int64, contact: Int64) throws -> InAppDeviceStateRow? {
        try connection.first(
            """
            SELECT \(InAppDeviceStateRow.columns) FROM in_app_copies
            WHERE campaign_id = ? AND device_id = ? AND contact_id = ?
            """,
            [.integer(campaign.number), .integer(device), .integer(contact)], InAppDeviceStateRow.init
        )
    }

    /// A device's states of a campaign, for all persons.
    package func find(campaign: CampaignID, device: Int64) throws -> [InAppDeviceStateRow] {
        try connection.query(
            """
            SELECT \(InAppDeviceStateRow.columns) FROM in_app_copies WHERE campaign_id = ? AND device_id = ? ORDER BY contact_id
            """,
            [.integer(campaign.number), .integer(device)], InAppDeviceStateRow.init
        )
    }

    /// A device's states of some campaigns for one person, by campaign.
    package func copies(
        device: Int64, contact: Int64, campaigns: [CampaignID]
    ) throws -> [CampaignID: InAppDeviceStateRow] {
        guard !campaigns.isEmpty else { return [:] }
        let copies = try connection.query(
            Self.copiesSQL(connection.dialect),
            [.integers(campaigns.map(\.number)), .integer(device), .integer(contact)], InAppDeviceStateRow.init
        )
        return Dictionary(copies.map { ($0.campaign, $0) }) { first, _ in first }
    }

    /// The keys of a device's states of some campaigns, for some people.
    package func places(device: Int64, contacts: [Int64], campaigns: [CampaignID]) throws -> Set<InAppDeviceStateKey> {
        guard !contacts.isEmpty, !campaigns.isEmpty else { return [] }
        let places = try connection.query(
            Self.placesSQL(connection.dialect),
            [.integers(campaigns.map(\.number)), .integer(device), .integers(contacts)]
        ) { row -> InAppDeviceStateKey? in
            let row = ResultRow<PlaceColumn>(row)
            return CampaignID(row.integer(.campaign)).map {
                InAppDeviceStateKey(campaign: $0, device: device, contact: row.integer(.contact))
            }
        }
        return Set(places.compactMap(\.self))
    }

    private enum PlaceColumn: Int, ResultColumn {
        case campaign, contact

        var sql: SQLText {
            switch self {
            case .campaign: "campaign_id"
            case .contact: "contact_id"
            }
        }
    }

    /// Its arguments are a JSON array of campaigns, the device, and a JSON array of contacts.
    package static func placesSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(PlaceColumn.selectList) FROM in_app_copies
        WHERE campaign_id IN (\(dialect.integers)) AND device_id = ? AND contact_id IN (\(dialect.integers))
        """
    }

    /// Its arguments are a JSON array of campaigns, the device and the contact.
    package static func copiesSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT \(InAppDeviceStateRow.columns) FROM in_app_copies
        WHERE campaign_id IN (\(dialect.integers)) AND device_id = ? AND contact_id = ?
        """
    }

    /// The sums over a campaign's rows.
    package func sums(of campaign: CampaignID) throws -> InAppSums {
        var sums =
            try connection.first(
                "SELECT \(InAppSums.columns) FROM in_app_copies WHERE campaign_id = ?", [.integer(campaign.number)],
                InAppSums.init
            ) ?? InAppSums()
        sums.clicksByButton = try counts(InAppTally.clicks, of: campaign)
        sums.notShown = try counts(InAppTally.notShown, of: campaign)
        return sums
    }

    /// The most buttons, or reasons, in one response.
    package static let maximumCounts = 100

    private func counts(_ tally: InAppTally, of campaign: CampaignID) throws -> [String: Int] {
        let counts = try connection.query(
            """
            SELECT \(tally.word), CAST(sum(\(tally.count)) AS BIGINT) AS total FROM \(tally.table)
            WHERE campaign_id = ? GROUP BY \(tally.word) ORDER BY total DESC, \(tally.word) LIMIT ?
            """,
            [.integer(campaign.number), .integer(Self.maximumCounts)]
        ) { ($0.text(0), Int($0.integer(1))) }
        return Dictionary(counts) { first, _ in first }
    }
}

/// A table that counts words in addition to the states.
struct InAppTally: Hashable, Sendable {
    static let clicks = InAppTally(table: "in_app_clicks", word: "button_id", count: "clicks")
    static let notShown = InAppTally(table: "in_app_not_shown", word: "reason", count: "times")
    static let all = [clicks, notShown]

    let table: SQLText
    let word: SQLText
    let count: SQLText
}

extension SQLConnection {
    package var inAppDeviceStates: InAppDeviceStateRepository { InAppDeviceStateRepository(connection: self) }
}
