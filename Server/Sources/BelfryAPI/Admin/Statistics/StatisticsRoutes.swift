import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryWire

/// The routes for figures by day and by hour (CON-4, CON-7).
package enum StatisticsRoutes {
    package static let standardDays = 30

    static let all = [readDayStatistics.route, readCampaignHours.route]

    package static let readDayStatistics = AdminRoute(
        .get, inApp: "/statistics/days", id: "readDayStatistics", .campaigns, scope: .read,
        summary: "Read the figures of the last days",
        description: """
            Sends, displays and opens of each day, in the app's time zone, and how many devices may get pushes. The \
            figures are sums that the server makes about once a minute. Days of the last week that are unlike the 28 \
            days before them are named.
            """,
        parameters: [.days(maximum: StatisticsService.maximumDays, standardDays)],
        response: "The days, today as the last.", does: days
    )

    package static let readCampaignHours = AdminRoute(
        .get, inApp: "/campaigns/{id}/hours", id: "readCampaignHours", .campaigns, scope: .read,
        summary: "Read the figures of a campaign by the hour",
        description: "From its launch, at most \(CampaignHours.maximum) hours.",
        response: "The hours; none before the launch, and until a large ledger has been summed up.", does: hours
    )

    private static func days(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<DayStatisticsResponse> {
        let count = try call.days(standardDays, maximum: StatisticsService.maximumDays)
        return Done(DayStatisticsResponse(try await call.services.statistics.statistics(app: app, days: count)))
    }

    private static func hours(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<CampaignHoursResponse> {
        Done(CampaignHoursResponse(try await call.services.campaigns.queries.hours(try call.campaign(), app: app)))
    }
}

/// `GET …/statistics/days`.
package struct DayStatisticsResponse: Hashable, Sendable, Codable {
    package struct Day: Hashable, Sendable, Codable {
        package var day: String
        package var accepted: Int
        package var suppressed: Int
        package var rejected: Int
        package var displayed: Int
        package var opened: Int
        package var devices: Int?
        package var optedIn: Int?
    }

    package struct Unusual: Hashable, Sendable, Codable {
        package var day: String
        package var measure: String
        package var count: Int
        package var usual: Int
    }

    package var days: [Day]
    package var unusual: [Unusual]
}

extension DayStatisticsResponse {
    init(_ statistics: AppStatistics) {
        days = statistics.days.map { day in
            Day(
                day: day.day.text, accepted: day.accepted, suppressed: day.suppressed, rejected: day.rejected,
                displayed: day.displayed, opened: day.opened, devices: day.devices, optedIn: day.optedIn
            )
        }
        unusual = statistics.unusual.map {
            Unusual(day: $0.day.text, measure: $0.measure.rawValue, count: $0.count, usual: $0.usual)
        }
    }
}

extension DayStatisticsResponse: Described {
    static let schema: JSONSchema = .object([
        "days": .list(
            of: .object(
                [
                    "day": .day, "accepted": .count.described("Accepted by push services, or downloaded."),
                    "suppressed": .count, "rejected": .count, "displayed": .count, "opened": .count,
                ],
                optional: [
                    "devices": .count.described("Devices of the app, as last counted on the day."),
                    "optedIn": .count.described("Those that may get pushes."),
                ]
            )
        ),
        "unusual": .list(
            of: .object([
                "day": .day, "measure": .cases(of: UnusualDay.Measure.self), "count": .count,
                "usual": .count.described("The median of the 28 days before."),
            ])
        ),
    ])
}

/// `GET …/campaigns/{id}/hours`.
package struct CampaignHoursResponse: Hashable, Sendable, Codable {
    package struct Hour: Hashable, Sendable, Codable {
        package var begins: String
        package var accepted: Int
        package var displayed: Int
        package var opened: Int
    }

    package var hours: [Hour]
    package var summedAt: String?
}

extension CampaignHoursResponse {
    init(_ hours: CampaignHours?) {
        self.hours = (hours?.hours ?? []).map { hour in
            Hour(
                begins: Timestamp.text(hour.begins), accepted: hour.accepted, displayed: hour.displayed,
                opened: hour.opened
            )
        }
        summedAt = hours.map { Timestamp.text($0.at) }
    }
}

extension CampaignHoursResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "hours": .list(
                of: .object([
                    "begins": .of(Timestamp.self), "accepted": .count, "displayed": .count, "opened": .count,
                ])
            )
        ],
        optional: ["summedAt": .of(Timestamp.self)]
    )
}

extension JSONSchema {
    /// The schema of a calendar day.
    static let day: JSONSchema = .string(
        10...10, pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", example: "2026-12-01"
    )
}
