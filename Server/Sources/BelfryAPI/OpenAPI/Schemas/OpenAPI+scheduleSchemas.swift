import BelfryModel

extension OpenAPI {
    static let scheduleSchemas: [String: Schema] = [
        "CampaignSchedule": .object(
            [:],
            optional: [
                "at": date.described("To all at this moment; without an offset it is in the app's time zone."),
                "localAt": localTime.described("To each recipient when their clock shows it; not together with `at`."),
                "quietHours": .reference("QuietHours"),
                "frequencyCap": .reference("FrequencyCap"),
                "expiresAt": date.described("Nothing is sent from then on; without an offset as `at`."),
                "ratePerSecond": .integer(1...100_000).described("Messages that leave in one second at most."),
            ],
            isClosed: true
        )
        .described("When a campaign is sent, and how fast; absent: at once, to all."),
        "QuietHours": .object(
            ["from": timeOfDay, "to": timeOfDay.described("Before `from`: on the next day.")],
            optional: [
                "then": .word(QuietHours.Consequence.allCases.map(\.rawValue))
                    .described("What becomes of a message whose time falls into them; default `delay`.")
            ],
            isClosed: true
        )
        .described("By each recipient's clock."),
        "FrequencyCap": .object(
            [
                "count": .integer(1...1_000).described("Messages to one device at most."),
                "within": duration("P7D").described("Weeks, or days, hours and minutes, that end now."),
            ],
            isClosed: true
        ),
    ]

    private static let date: Schema = .string(format: "date-time", example: "2026-12-01T09:00:00Z")
    private static let localTime: Schema = .string(
        pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2})?)?$", example: "2026-12-01T09:00:00"
    )
    private static let timeOfDay: Schema = .string(5...5, pattern: "^[0-2][0-9]:[0-5][0-9]$", example: "22:00")
}
