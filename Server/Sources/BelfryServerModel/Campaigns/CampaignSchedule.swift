import BelfryModel
import Foundation

/// When a campaign is sent, and how fast (CAMP-5). Everything absent: at once, to all.
package struct CampaignSchedule: Hashable, Sendable, Codable {
    /// To all at this moment.
    @ZonedDate package var at: Date?
    /// To each recipient when their own clock shows this time.
    package var localAt: LocalDateTime?
    package var quietHours: QuietHours?
    package var frequencyCap: FrequencyCap?
    /// Nothing is sent from then on.
    @ZonedDate package var expiresAt: Date?
    /// Messages that leave in one second at most.
    package var ratePerSecond: Int?

    package init(
        at: Date? = nil,
        localAt: LocalDateTime? = nil,
        quietHours: QuietHours? = nil,
        frequencyCap: FrequencyCap? = nil,
        expiresAt: Date? = nil,
        ratePerSecond: Int? = nil
    ) {
        self.at = at
        self.localAt = localAt
        self.quietHours = quietHours
        self.frequencyCap = frequencyCap
        self.expiresAt = expiresAt
        self.ratePerSecond = ratePerSecond
    }
}

/// At most so many messages to one device within a period that moves with the clock (CAMP-5).
package struct FrequencyCap: Hashable, Sendable, Codable {
    package var count: Int
    package var within: ISODuration

    package init(count: Int, within: ISODuration) {
        self.count = count
        self.within = within
    }
}
