import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import Foundation

/// Checks when and how fast a campaign is sent (CAMP-5). Whether its times have passed is checked at the launch.
package struct ScheduleCheck {
    package static let capCounts = 1...1_000
    package static let rates = 1...RateAllowance.maximumPerSecond

    let schedule: CampaignSchedule

    func check(_ errors: inout FieldErrors) {
        errors.require(
            schedule.at == nil || schedule.localAt == nil, "schedule.localAt", "notTogether",
            "A campaign has one time: 'at' for everybody, or 'localAt' for each recipient's local time."
        )
        if let quiet = schedule.quietHours {
            errors.require(
                quiet.from != quiet.to, "schedule.quietHours.to", "outOfRange",
                "Quiet hours cannot end at the time at which they start."
            )
        }
        if let cap = schedule.frequencyCap {
            errors.require(cap.count, in: Self.capCounts, "schedule.frequencyCap.count") { "A cap is \($0) messages." }
        }
        errors.require(schedule.ratePerSecond ?? 1, in: Self.rates, "schedule.ratePerSecond") {
            "A rate is \($0) messages per second."
        }
        if let end = schedule.expiresAt, let start = schedule.earliestStart {
            errors.require(
                end > start, "schedule.expiresAt", "outOfRange",
                "A campaign expires after the time at which it is sent."
            )
        }
    }

    /// Checks the schedule of an in-app campaign: it has only a start. Devices decide about everything after that.
    func checkInApp(_ errors: inout FieldErrors) {
        let fields: [(name: String, isSaid: Bool, advice: String)] = [
            ("localAt", schedule.localAt != nil, "it starts at the same time for all; use 'at'"),
            ("quietHours", schedule.quietHours != nil, "the message is shown while somebody uses the app"),
            ("frequencyCap", schedule.frequencyCap != nil, "use 'inApp.displayLimit'"),
            ("expiresAt", schedule.expiresAt != nil, "use 'inApp.endsAt'"),
            ("ratePerSecond", schedule.ratePerSecond != nil, "devices download the message at their next sync"),
        ]
        for field in fields where field.isSaid {
            errors.reject(
                "schedule.\(field.name)", "notInApp", "An in-app campaign has no '\(field.name)': \(field.advice)."
            )
        }
    }
}

extension CampaignSchedule {
    /// How far ahead of UTC the earliest time zone of the world is, in seconds.
    private static let firstZone: TimeInterval = 14 * 3600

    /// When the first recipient may get the campaign; nil for a campaign without a time.
    var earliestStart: Date? {
        at ?? localAt.map { Date(timeIntervalSince1970: TimeInterval($0.secondsInUTC) - Self.firstZone) }
    }
}
