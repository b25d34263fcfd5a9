import BelfryModel
import BelfryServerModel
import Foundation

/// A rehearsal of a campaign, and its progress.
package struct RehearsalRow: Hashable, Sendable {
    package let id: Int64
    package let app: Int64
    package let campaign: CampaignID
    /// The version of the rehearsed draft.
    package let version: String
    package let status: RehearsalStatus
    package let requestedAt: Date
    package let startedAt: Date?
    package let endedAt: Date?
    /// The rehearsed launch time.
    package let launchAt: Date?
    /// The app's last device at the start: later devices are not rehearsed.
    package let lastDevice: Int64
    /// Devices up to this one are done.
    package let reached: Int64
    /// How many of these devices are in the audience.
    package let audience: Int
    /// How often the rehearsal was started.
    package let attempts: Int
    /// Why the rehearsal failed, in a sentence.
    package let problem: String?
    /// Nil until the rehearsal is complete.
    package let figures: RehearsalFigures?
    /// The last comparison with the ledger, which itself says whether it may still change. Only the code that made it
    /// can read it.
    package let comparison: String?
}

extension RehearsalRow {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, app, campaign, version, status, requestedAt, startedAt, endedAt, launchAt, lastDevice, reached
        case audience, attempts, problem, figures, comparison

        var sql: SQLText {
            switch self {
            case .id: "id"
            case .app: "app_id"
            case .campaign: "campaign_id"
            case .version: "version"
            case .status: "status"
            case .requestedAt: "requested_at"
            case .startedAt: "started_at"
            case .endedAt: "ended_at"
            case .launchAt: "launch_at"
            case .lastDevice: "last_device"
            case .reached: "reached"
            case .audience: "audience"
            case .attempts: "attempts"
            case .problem: "problem"
            case .figures: "figures"
            case .comparison: "comparison"
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        guard let campaign = CampaignID(row.integer(.campaign)),
            let status = RehearsalStatus(rawValue: row.text(.status))
        else { throw StoreError.corrupted(table: "rehearsals", key: row.text(.id)) }
        self.init(
            id: row.integer(.id), app: row.integer(.app), campaign: campaign, version: row.text(.version),
            status: status, requestedAt: row.date(.requestedAt), startedAt: row.optionalDate(.startedAt),
            endedAt: row.optionalDate(.endedAt), launchAt: row.optionalDate(.launchAt),
            lastDevice: row.integer(.lastDevice), reached: row.integer(.reached),
            audience: Int(row.integer(.audience)), attempts: Int(row.integer(.attempts)),
            problem: row.optionalText(.problem),
            figures: try row.optionalText(.figures).map { try JSONText.decode(RehearsalFigures.self, $0) },
            comparison: row.optionalText(.comparison)
        )
    }
}
