import BelfryModel
import Foundation

/// A download of a campaign's message by a device, for its contact at the time.
package struct InAppDownload: Hashable, Sendable {
    package let campaign: CampaignID
    package let device: Int64
    package let contact: Int64
    package let version: Int
    /// The campaign's ``Campaign/displayEpoch`` at the time.
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

/// A device's report about an in-app message (IAM-9).
package enum InAppEngagement: Hashable, Sendable {
    case display
    /// A click on a button; nil: on the message itself.
    case click(button: String?)
    /// The time on screen, in seconds; nil if the device does not report it.
    case dismissal(after: TimeInterval?)
    /// A stable word, which is counted, and a sentence.
    case notShown(reason: String, sentence: String?)
}

/// The key of the row to which an event belongs: the message, the device, and the person for whom the event was tracked
/// (ID-7).
package struct InAppDeviceStateKey: Hashable, Sendable {
    package let campaign: CampaignID
    package let device: Int64
    package let contact: Int64

    package init(campaign: CampaignID, device: Int64, contact: Int64) {
        self.campaign = campaign
        self.device = device
        self.contact = contact
    }

    /// The values in the order of the table's primary key.
    var values: [SQLValue] { [.integer(campaign.number), .integer(device), .integer(contact)] }
}

/// The state of a message on a device, for one person.
package struct InAppDeviceStateRow: Hashable, Sendable {
    package let campaign: CampaignID
    package let device: Int64
    package let contact: Int64
    /// The newest version that was downloaded or reported.
    package let version: Int
    /// Nil if the message is known only from events.
    package let downloadedAt: Date?
    package let epoch: Int
    /// Displays in the row's epoch.
    package let shown: Int
    /// Displays over all epochs.
    package let displays: Int
    package let displayedAt: Date?
    package let clicks: Int
    package let clickedAt: Date?
    package let dismissals: Int
    package let dismissedAt: Date?
    /// Seconds on screen over all displays.
    package let seconds: TimeInterval
    /// Why the message was not shown when it was last due: the stable word, and the sentence.
    package let notShownReason: String?
    package let notShownSentence: String?
    package let notShownAt: Date?
    /// When the device was told to remove the message.
    package let recalledAt: Date?

    /// Displays in an epoch of the campaign, usually the present one. In an epoch later than the row's there were none.
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

/// The figures of a campaign, as sums over its rows.
package struct InAppSums: Hashable, Sendable {
    /// Devices that have downloaded the message.
    package var downloaded = 0
    package var displays = 0
    /// Devices that have displayed the message.
    package var displayedBy = 0
    package var clicks = 0
    /// Devices on which the message was clicked.
    package var clickedBy = 0
    package var dismissals = 0
    /// Seconds on screen over all displays.
    package var seconds: TimeInterval = 0
    /// Clicks by button id, for the buttons with the most.
    package var clicksByButton: [String: Int] = [:]
    /// Counts by reason, for the most frequent reasons.
    package var notShown: [String: Int] = [:]

    package init() {}
}

extension InAppSums {
    /// The columns of the row itself, without the word counts.
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
