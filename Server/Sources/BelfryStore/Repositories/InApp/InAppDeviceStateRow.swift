import BelfryModel
import Foundation

/// What a device got of a campaign, for the person whose it was then.
package struct InAppDownload: Hashable, Sendable {
    package let campaign: CampaignID
    package let device: Int64
    package let contact: Int64
    package let version: Int
    /// The campaign's ``Campaign/displayEpoch``.
    package let epoch: Int
    package let at: Date

    package init(campaign: CampaignID, device: Int64, contact: Int64, version: Int, epoch: Int, at: Date) {
        self.campaign = campaign
        self.device = device
        self.contact = contact
        self.version = version
        self.epoch = epoch
        self.at = at
    }
}

/// What a device tells of an in-app message (IAM-9).
package enum InAppEngagement: Hashable, Sendable {
    case display
    /// Nil: the message itself was tapped.
    case click(button: String?)
    /// How long it was on screen, in seconds; nil when the device does not say.
    case dismissal(after: TimeInterval?)
    /// A stable word, which is counted, and the sentence.
    case notShown(reason: String, sentence: String?)
}

/// Which row an event belongs to: that of a message on a device, for the person under whom it was tracked (ID-7).
package struct InAppDeviceStateKey: Hashable, Sendable {
    package let campaign: CampaignID
    package let device: Int64
    package let contact: Int64

    package init(campaign: CampaignID, device: Int64, contact: Int64) {
        self.campaign = campaign
        self.device = device
        self.contact = contact
    }

    /// In the order of the table's primary key.
    var values: [SQLValue] { [.integer(campaign.number), .integer(device), .integer(contact)] }
}

/// A message on a device, and what became of it there, for one person.
package struct InAppDeviceStateRow: Hashable, Sendable {
    package let campaign: CampaignID
    package let device: Int64
    package let contact: Int64
    /// The newest that was downloaded, or told of.
    package let version: Int
    /// Nil when only events tell of it.
    package let downloadedAt: Date?
    package let epoch: Int
    /// Displays in the epoch.
    package let shown: Int
    /// All displays, in whatever epoch.
    package let displays: Int
    package let displayedAt: Date?
    package let clicks: Int
    package let clickedAt: Date?
    package let dismissals: Int
    package let dismissedAt: Date?
    /// Seconds on screen, over all displays.
    package let seconds: TimeInterval
    /// Why it was not shown the last time that it was due: the stable word, and the sentence.
    package let notShownReason: String?
    package let notShownSentence: String?
    package let notShownAt: Date?
    /// When the device was told to remove it.
    package let recalledAt: Date?

    /// Displays in an epoch of the campaign's, the present one as a rule: in a later one than this device has told of
    /// there were none.
    package func shown(inEpoch epoch: Int) -> Int { epoch == self.epoch ? shown : 0 }
}

extension InAppDeviceStateRow {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case campaign, device, contact, version, downloadedAt, epoch, shown, displays, displayedAt, clicks, clickedAt
        case dismissals, dismissedAt, screenTime, notShownReason, notShownSentence, notShownAt, recalledAt

        var sql: SQLText {
            switch self {
            case .campaign: "campaign_id"
            case .device: "device_id"
            case .contact: "contact_id"
            case .version: "version"
            case .downloadedAt: "downloaded_at"
            case .epoch: "epoch"
            case .shown: "shown"
            case .displays: "displays"
            case .displayedAt: "displayed_at"
            case .clicks: "clicks"
            case .clickedAt: "clicked_at"
            case .dismissals: "dismissals"
            case .dismissedAt: "dismissed_at"
            case .screenTime: "screen_time"
            case .notShownReason: "not_shown_reason"
            case .notShownSentence: "not_shown_sentence"
            case .notShownAt: "not_shown_at"
            case .recalledAt: "recalled_at"
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        guard let campaign = CampaignID(row.integer(.campaign)) else {
            throw StoreError.corrupted(table: "in_app_copies", key: row.text(.campaign))
        }
        self.campaign = campaign
        device = row.integer(.device)
        contact = row.integer(.contact)
        version = Int(row.integer(.version))
        downloadedAt = row.optionalDate(.downloadedAt)
        epoch = Int(row.integer(.epoch))
        shown = Int(row.integer(.shown))
        displays = Int(row.integer(.displays))
        displayedAt = row.optionalDate(.displayedAt)
        clicks = Int(row.integer(.clicks))
        clickedAt = row.optionalDate(.clickedAt)
        dismissals = Int(row.integer(.dismissals))
        dismissedAt = row.optionalDate(.dismissedAt)
        seconds = Double(row.integer(.screenTime)) / 1_000
        notShownReason = row.optionalText(.notShownReason)
        notShownSentence = row.optionalText(.notShownSentence)
        notShownAt = row.optionalDate(.notShownAt)
        recalledAt = row.optionalDate(.recalledAt)
    }
}

/// The figures of one campaign: sums of the rows.
package struct InAppSums: Hashable, Sendable {
    /// Devices that have downloaded it.
    package var downloaded = 0
    package var displays = 0
    /// Devices.
    package var displayedBy = 0
    package var clicks = 0
    /// Devices.
    package var clickedBy = 0
    package var dismissals = 0
    /// Seconds on screen, over all displays.
    package var seconds: TimeInterval = 0
    /// By the buttons' ids, the most pressed ones.
    package var clicksByButton: [String: Int] = [:]
    /// By the reasons' words, the most frequent ones.
    package var notShown: [String: Int] = [:]

    package init() {}
}

extension InAppSums {
    /// Of the rows alone, without the words.
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case downloaded, displays, displayedBy, clicks, clickedBy, dismissals, screenTime

        var sql: SQLText {
            switch self {
            case .downloaded: "count(DISTINCT CASE WHEN downloaded_at IS NOT NULL THEN device_id END)"
            case .displays: "CAST(coalesce(sum(displays), 0) AS BIGINT)"
            case .displayedBy: "count(DISTINCT CASE WHEN displays > 0 THEN device_id END)"
            case .clicks: "CAST(coalesce(sum(clicks), 0) AS BIGINT)"
            case .clickedBy: "count(DISTINCT CASE WHEN clicks > 0 THEN device_id END)"
            case .dismissals: "CAST(coalesce(sum(dismissals), 0) AS BIGINT)"
            case .screenTime: "CAST(coalesce(sum(screen_time), 0) AS BIGINT)"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        downloaded = Int(row.integer(.downloaded))
        displays = Int(row.integer(.displays))
        displayedBy = Int(row.integer(.displayedBy))
        clicks = Int(row.integer(.clicks))
        clickedBy = Int(row.integer(.clickedBy))
        dismissals = Int(row.integer(.dismissals))
        seconds = Double(row.integer(.screenTime)) / 1_000
    }
}
