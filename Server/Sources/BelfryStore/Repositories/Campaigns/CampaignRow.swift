import BelfryModel
import BelfryServerModel
import Foundation

/// A campaign with the progress of its planning.
package struct CampaignRow: Hashable, Sendable {
    package var campaign: Campaign
    package let app: Int64
    /// Devices up to this id are planned.
    package var plannedTo: Int64
    /// The highest device id at launch: later devices are not in the audience.
    package var planEnd: Int64
    package var isPlanned: Bool
    /// The launch or the last resume, from which the time limit for retries counts.
    package var retriesFrom: Date?
    /// How push services responded to the first pushes (REG-35), as encoded by the rules.
    package var watch: String?
    /// The position of its rate limit, as counted by the rules.
    package var rateUnit: Int64?
    /// Since when the campaign has opted devices out because of a wrong topic or environment; nil once new credentials
    /// have lifted that.
    package var topicErrorsSince: Date?
    /// For an in-app campaign that is over: the ledger's rows up to this device are closed. Nil if none must be closed.
    package var closedTo: Int64?
    /// Whether a campaign that the server has paused because of its pushes still places messages (MC-16).
    package var placesWhilePaused: Bool
    /// Since when its ledger counts as removed, after the app's retention period (LED-3); nil: the ledger exists.
    package let ledgerRemovedAt: Date?

    package var id: CampaignID { campaign.id }
    package var scheduledAt: Date? {
        get { campaign.scheduledAt }
        set { campaign.scheduledAt = newValue }
    }
}

extension CampaignRow {
    /// The columns of ``CampaignRepository/source``.
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, app, code, content, status, statusReason, createdAt, launchedAt, endedAt, plannedTo, planEnd, planned
        case watch, retriesFrom, topicErrorsSince, scheduledAt, rateUnit, inAppVersion, displayEpoch, deletedAt
        case recalledAt, closedTo, places, ledgerRemovedAt

        var sql: SQLText {
            switch self {
            case .id: "c.id"
            case .app: "c.app_id"
            case .code: "a.code"
            case .content: "c.content"
            case .status: "c.status"
            case .statusReason: "c.status_reason"
            case .createdAt: "c.created_at"
            case .launchedAt: "c.launched_at"
            case .endedAt: "c.ended_at"
            case .plannedTo: "c.planned_to"
            case .planEnd: "c.plan_end"
            case .planned: "c.planned"
            case .watch: "c.watch"
            case .retriesFrom: "c.retries_from"
            case .topicErrorsSince: "c.trouble_since"
            case .scheduledAt: "c.scheduled_at"
            case .rateUnit: "c.rate_unit"
            case .inAppVersion: "c.in_app_version"
            case .displayEpoch: "c.display_epoch"
            case .deletedAt: "c.deleted_at"
            case .recalledAt: "c.recalled_at"
            case .closedTo: "c.closed_to"
            case .places: "c.places"
            case .ledgerRemovedAt: "c.ledger_removed_at"
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        let draft = try JSONText.decode(CampaignDraft.self, row.text(.content))
        guard let id = CampaignID(row.integer(.id)), let status = CampaignStatus(rawValue: row.text(.status)),
            let code = try? AppCode(row.text(.code))
        else { throw StoreError.corrupted(table: "campaigns", key: row.text(.id)) }
        let campaign = Campaign(
            id: id, app: code, draft: draft, status: status,
            reason: row.optionalText(.statusReason).map { StatusReason(stored: $0) },
            createdAt: row.date(.createdAt), scheduledAt: row.optionalDate(.scheduledAt),
            launchedAt: row.optionalDate(.launchedAt), endedAt: row.optionalDate(.endedAt),
            inAppVersion: Int(row.integer(.inAppVersion)), displayEpoch: Int(row.integer(.displayEpoch)),
            deletedAt: row.optionalDate(.deletedAt), recalledAt: row.optionalDate(.recalledAt)
        )
        self.init(
            campaign: campaign, app: row.integer(.app), plannedTo: row.integer(.plannedTo),
            planEnd: row.integer(.planEnd), isPlanned: row.flag(.planned),
            retriesFrom: row.optionalDate(.retriesFrom), watch: row.optionalText(.watch),
            rateUnit: row.optionalInteger(.rateUnit), topicErrorsSince: row.optionalDate(.topicErrorsSince),
            closedTo: row.optionalInteger(.closedTo), placesWhilePaused: row.flag(.places),
            ledgerRemovedAt: row.optionalDate(.ledgerRemovedAt)
        )
    }
}

/// A campaign as it appears in a list.
package struct CampaignSummary: Hashable, Sendable {
    package let id: CampaignID
    package let name: String
    package let kind: CampaignKind
    package let status: CampaignStatus

    package init(_ campaign: Campaign) {
        self.init(id: campaign.id, name: campaign.draft.name, kind: campaign.draft.kind, status: campaign.status)
    }

    init(id: CampaignID, name: String, kind: CampaignKind, status: CampaignStatus) {
        self.id = id
        self.name = name
        self.kind = kind
        self.status = status
    }
}

extension CampaignSummary {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, name, kind, status

        var sql: SQLText {
            switch self {
            case .id: "id"
            case .name: "name"
            case .kind: "kind"
            case .status: "status"
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        guard let id = CampaignID(row.integer(.id)), let kind = CampaignKind(rawValue: row.text(.kind)),
            let status = CampaignStatus(rawValue: row.text(.status))
        else { throw StoreError.corrupted(table: "campaigns", key: row.text(.id)) }
        self.init(id: id, name: row.text(.name), kind: kind, status: status)
    }
}
