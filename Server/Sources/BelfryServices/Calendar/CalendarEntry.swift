import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// When a campaign is sent, for a calendar (CON-6).
package struct CalendarEntry: Hashable, Sendable {
    package let campaign: CampaignSummary
    /// When the first recipient gets the campaign.
    package let begins: Date
    /// When the time has come in the last time zone; for an in-app campaign when it ends. Nil for one without an end.
    package let ends: Date?
    /// The local time at which each person gets the campaign; nil if everybody gets it at the same moment.
    package let localAt: LocalDateTime?
    package let quietHours: QuietHours?
    package let cap: FrequencyCap?

    package init(
        campaign: CampaignSummary, begins: Date, ends: Date?, localAt: LocalDateTime? = nil,
        quietHours: QuietHours? = nil, cap: FrequencyCap? = nil
    ) {
        self.campaign = campaign
        self.begins = begins
        self.ends = ends
        self.localAt = localAt
        self.quietHours = quietHours
        self.cap = cap
    }

    /// The entry of a campaign; nil for a draft without a time.
    init?(_ campaign: Campaign) {
        let schedule = campaign.draft.schedule
        guard let begins = Self.begin(campaign) else { return nil }
        self.campaign = CampaignSummary(campaign)
        self.begins = begins
        localAt = schedule?.localAt
        quietHours = schedule?.quietHours
        cap = schedule?.frequencyCap
        if campaign.draft.kind.isInApp {
            ends = [campaign.draft.inApp?.endsAt, campaign.endedAt].compactMap(\.self).min()
        } else {
            ends = max(begins, schedule?.lastSend ?? begins)
        }
    }

    private static func begin(_ campaign: Campaign) -> Date? {
        let planned = campaign.draft.schedule?.firstSend
        guard let launched = campaign.launchedAt else {
            return planned.map { max($0, campaign.status == .draft ? .distantPast : campaign.createdAt) }
        }
        return max(launched, planned ?? launched)
    }

    /// Whether the campaign lasts for a period, like an in-app campaign, and is not sent at a time.
    package var isLasting: Bool { campaign.kind.isInApp }

    /// Whether the campaign sends a notification, which frequency caps count.
    package var notifies: Bool { campaign.kind.notifies }

    /// Whether the campaign is still to be sent, or is in progress.
    package var isPlanned: Bool { [.scheduled, .sending, .paused, .active].contains(campaign.status) }

    /// Whether the campaign's time overlaps this range.
    func falls(into time: Range<Date>) -> Bool {
        begins < time.upperBound && (ends ?? .distantFuture) >= time.lowerBound
    }
}
