import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// When a campaign is sent, for a calendar (CON-6).
package struct CalendarEntry: Hashable, Sendable {
    package let campaign: CampaignSummary
    /// The first moment at which anybody gets it.
    package let begins: Date
    /// When the time of the last zone has come; of an in-app message, when its time is over; nil: it has no end.
    package let ends: Date?
    /// The time that each person's own clock shows.
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

    /// Nil for a draft that names no time.
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

    /// Whether it lasts, and is not sent at a time.
    package var isLasting: Bool { campaign.kind.isInApp }

    /// Whether a person is told of it by a notification, which caps count.
    package var notifies: Bool { campaign.kind.notifies }

    /// Whether it is still to be sent, or goes on.
    package var isPlanned: Bool { [.scheduled, .sending, .paused, .active].contains(campaign.status) }

    /// Whether something of it falls into a time.
    func falls(into time: Range<Date>) -> Bool {
        begins < time.upperBound && (ends ?? .distantFuture) >= time.lowerBound
    }
}
