import BelfryModel
import Foundation

/// When a campaign is sent, and how fast (CAMP-5). If everything is absent, it is sent immediately, to all.
package struct CampaignSchedule: Hashable, Sendable, Codable {
    /// The time at which it is sent to all.
    @ZonedDate package var at: Date?
    /// The local time at which it is sent to each recipient, by the recipient's own clock.
    package var localAt: LocalDateTime?
    package var quietHours: QuietHours?
    package var frequencyCap: FrequencyCap?
    /// From this time on nothing is sent.
    @ZonedDate package var expiresAt: Date?
    /// The most messages that are sent in one second.
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

/// The most messages to one device within a moving period (CAMP-5).
package struct FrequencyCap: Hashable, Sendable, Codable {
    package var count: Int
    package var within: ISODuration

    package init(count: Int, within: ISODuration) {
        self.count = count
        self.within = within
    }
}
