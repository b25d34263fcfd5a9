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

/// A message on a device, and what became of it there, for one person.
package struct InAppCopyRow: Hashable, Sendable {
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

extension InAppCopyRow {
    static let columns: SQLText = """
        campaign_id, device_id, contact_id, version, downloaded_at, epoch, shown, displays, displayed_at, clicks,
        clicked_at, dismissals, dismissed_at, screen_time, not_shown_reason, not_shown_sentence, not_shown_at,
        recalled_at
        """

    init(_ row: any SQLRow) throws {
        guard let campaign = CampaignID(row.integer(0)) else {
            throw StoreError.corrupted(table: "in_app_copies", key: row.text(0))
        }
        self.campaign = campaign
        device = row.integer(1)
        contact = row.integer(2)
        version = Int(row.integer(3))
        downloadedAt = row.dateIfAny(4)
        epoch = Int(row.integer(5))
        shown = Int(row.integer(6))
        displays = Int(row.integer(7))
        displayedAt = row.dateIfAny(8)
        clicks = Int(row.integer(9))
        clickedAt = row.dateIfAny(10)
        dismissals = Int(row.integer(11))
        dismissedAt = row.dateIfAny(12)
        seconds = Double(row.integer(13)) / 1_000
        notShownReason = row.textIfAny(14)
        notShownSentence = row.textIfAny(15)
        notShownAt = row.dateIfAny(16)
        recalledAt = row.dateIfAny(17)
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
