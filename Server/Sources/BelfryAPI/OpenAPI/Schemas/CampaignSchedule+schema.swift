import BelfryModel
import BelfryServerModel
import BelfryServices

extension CampaignSchedule: Described {
    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "at": .zonedDate("2026-12-01T09:00:00Z").described(
                "To everybody at this time; without an offset, in the app's time zone."),
            "localAt": .localTime.described(
                "To each recipient at this local time; not together with `at`."),
            "quietHours": .of(QuietHours.self),
            "frequencyCap": .of(FrequencyCap.self),
            "expiresAt": .zonedDate("2026-12-01T09:00:00Z").described(
                "Nothing is sent from then on; same format as `at`."),
            "ratePerSecond": .integer(ScheduleCheck.rates).described("The maximum number of messages per second."),
        ],
        isClosed: true
    )
    .described("When a campaign is sent, and how fast; absent: at once, to everybody.")
}

extension QuietHours: Described {
    static let schema: JSONSchema = .object(
        ["from": .timeOfDay, "to": .timeOfDay.described("Before `from`: on the next day.")],
        optional: [
            "then": .cases(of: QuietHours.Consequence.self)
                .described("What happens to a message that is due in quiet hours; default `delay`.")
        ],
        isClosed: true
    )
    .described("In each recipient's local time.")
}

extension FrequencyCap: Described {
    static let schema: JSONSchema = .object(
        [
            "count": .integer(ScheduleCheck.capCounts).described("The maximum number of messages to one device."),
            "within": .duration("P7D").described("The period before now: weeks, or days, hours and minutes."),
        ],
        isClosed: true
    )
}

extension JSONSchema {
    fileprivate static let localTime: JSONSchema = .string(
        pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?)?$", example: "2026-12-01T09:00:00"
    )

    fileprivate static let timeOfDay: JSONSchema = .string(5...5, pattern: "^[0-2][0-9]:[0-5][0-9]$", example: "22:00")
}
