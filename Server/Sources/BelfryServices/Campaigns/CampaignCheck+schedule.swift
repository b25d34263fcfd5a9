import BelfryModel
import BelfryRules
import Foundation

extension CampaignCheck {
    static let capCounts = 1...1_000
    /// How far ahead of UTC the first zone of the world is, in seconds.
    private static let firstZone: TimeInterval = 14 * 3600

    /// A schedule (CAMP-5). Whether its times have passed, the launch asks.
    mutating func check(_ schedule: CampaignSchedule) {
        require(
            schedule.at == nil || schedule.localAt == nil, "schedule.localAt", "notTogether",
            "A campaign has one time: 'at' for all at once, or 'localAt' for each where they are."
        )
        if let quiet = schedule.quietHours {
            require(
                quiet.from != quiet.to, "schedule.quietHours.to", "outOfRange",
                "Quiet hours end at another time than they begin."
            )
        }
        if let cap = schedule.frequencyCap {
            require(
                Self.capCounts.contains(cap.count), "schedule.frequencyCap.count", "outOfRange",
                "A cap is \(Self.capCounts.lowerBound) to \(Self.capCounts.upperBound) messages."
            )
        }
        let rates = 1...RateAllowance.maximumPerSecond
        require(
            rates.contains(schedule.ratePerSecond ?? 1), "schedule.ratePerSecond", "outOfRange",
            "A rate is \(rates.lowerBound) to \(rates.upperBound) messages a second."
        )
        checkExpiry(of: schedule)
    }

    /// When the first recipient gets it; nil for a campaign without a time.
    static func earliestStart(by schedule: CampaignSchedule) -> Date? {
        schedule.at
            ?? schedule.localAt.map { Date(timeIntervalSince1970: TimeInterval($0.secondsInUTC) - firstZone) }
    }

    private mutating func checkExpiry(of schedule: CampaignSchedule) {
        guard let end = schedule.expiresAt, let start = Self.earliestStart(by: schedule) else { return }
        require(
            end > start, "schedule.expiresAt", "outOfRange", "A campaign expires after the time at which it is sent."
        )
    }
}
