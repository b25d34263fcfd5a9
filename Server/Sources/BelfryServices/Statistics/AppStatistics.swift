import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// The figures of one day: what was sent and noticed, and how many devices may get pushes (CON-4).
package struct DayStatistics: Hashable, Sendable {
    package let day: CalendarDay
    package let accepted: Int
    package let suppressed: Int
    package let rejected: Int
    package let displayed: Int
    package let opened: Int
    /// The number of devices; nil for a day on which they were not counted.
    package let devices: Int?
    package let optedIn: Int?

    init(_ day: CalendarDay, _ sums: LedgerSums, _ consent: ConsentDay?) {
        self.day = day
        accepted = sums.accepted
        suppressed = sums.suppressed
        rejected = sums.rejected
        displayed = sums.displayed
        opened = sums.opened
        devices = consent?.devices
        optedIn = consent?.optedIn
    }
}

/// The last days of an app up to today, in its time zone.
package struct AppStatistics: Hashable, Sendable {
    package let days: [DayStatistics]
    /// The days of the last week before today that differ from the days before them, newest first.
    package let unusual: [UnusualDay]
}

/// The overview of an app: what needs attention, and the figures of the last days.
package struct AppOverview: Hashable, Sendable {
    /// The most entries of each kind that are shown; if there are more, the overview says so.
    package static let maximumEntries = 5
    /// The number up to which devices are counted.
    package static let maximumDevices = 10_000

    package let statistics: AppStatistics
    /// The newest paused campaigns; one more than ``maximumEntries`` if there are more.
    package let paused: [PausedCampaign]
    /// The number of devices that get no push because the push service rejected the app's credentials.
    package let withRejectedCredentials: Int
    /// Since when campaigns have had a wrong topic or environment; nil if none has.
    package let topicErrorsSince: Date?
    /// The newest work in quarantine; one more than ``maximumEntries`` if there is more.
    package let quarantined: [QuarantinedWork]
    package let hasCredentials: Bool
    package let campaigns: [CampaignSummary]
}

/// Figures of days and hours, from sums that were made in advance (ADM-7).
package struct StatisticsService: Sendable {
    package static let maximumDays = 366

    let database: any SQLDatabase
    let environment: ServerEnvironment

    package init(database: any SQLDatabase, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// - Parameter count: how many days, with today as the last.
    package func statistics(app: AppRecord, days count: Int) async throws -> AppStatistics {
        let now = environment.now()
        return try await database.read { try Self.statistics(app, days: count, now: now, in: $0) }
    }

    package func overview(app: AppRecord, days: Int, campaigns: Int) async throws -> AppOverview {
        let now = environment.now()
        let limit = AppOverview.maximumEntries + 1
        return try await database.glance { connection in
            AppOverview(
                statistics: try Self.statistics(app, days: days, now: now, in: connection),
                paused: try connection.campaigns.paused(app: app.id, limit: limit),
                withRejectedCredentials: try connection.optOuts.count(
                    of: .providerAuthentication, app: app.id, limit: AppOverview.maximumDevices
                ),
                topicErrorsSince: try connection.campaigns.topicErrorsSince(app: app.id),
                quarantined: try connection.workAttempts.quarantined(app: app.id, before: nil, limit: limit).map {
                    QuarantinedWork($0, app: app.code)
                },
                hasCredentials: try !connection.credentials.all(app: app.id).isEmpty,
                campaigns: try connection.campaigns.list(app: app.id, before: nil, limit: campaigns)
            )
        }
    }

    private static func statistics(
        _ app: AppRecord, days count: Int, now: Date, in connection: any SQLConnection
    ) throws -> AppStatistics {
        let today = CalendarDay(now, in: app.settings.zone)
        // The first day of the last week is compared with days before it, which may lie before the first day that is
        // shown.
        let compared = UnusualDayRule.days + unusualDays + 1
        let first = today + -(max(count, compared) - 1)
        let sums = try connection.statistics.days(app: app.id, from: first.number, through: today.number)
        let consent = try connection.statistics.consent(app: app.id, from: first.number, through: today.number)
        let sumsOfDays = sums.reduce(into: [Int64: LedgerSums]()) { $0[$1.day] = $1.sums }
        let consentOfDays = consent.reduce(into: [Int64: ConsentDay]()) { $0[$1.day] = $1 }
        let days = (first.number...today.number).map { number in
            DayStatistics(
                CalendarDay(number: number), sumsOfDays[number] ?? LedgerSums(), consentOfDays[number]
            )
        }
        return AppStatistics(days: Array(days.suffix(count)), unusual: unusual(Array(days.dropLast())))
    }

    /// How many days before today are checked for being unusual.
    private static let unusualDays = 7

    /// - Parameter days: the days before today, because today is not over.
    static func unusual(_ days: [DayStatistics]) -> [UnusualDay] {
        let measures: [(UnusualDay.Measure, [Int?])] = [
            (.accepted, days.map { $0.accepted }), (.opened, days.map { $0.opened }),
            (.rejected, days.map { $0.rejected }),
            (.optedOut, optedOut(days)),
        ]
        return measures.flatMap { measure, counts in
            UnusualDayRule.days(
                zip(days, counts).map { (day: $0.day, count: $1) }, of: measure, last: unusualDays
            )
        }.sorted { ($1.day, $0.measure.rawValue) < ($0.day, $1.measure.rawValue) }
    }

    /// By how many the devices that may get pushes decreased on each day; nil if unknown.
    private static func optedOut(_ days: [DayStatistics]) -> [Int?] {
        days.indices.map { index in
            guard index > 0, let before = days[index - 1].optedIn, let now = days[index].optedIn else { return nil }
            return max(0, before - now)
        }
    }
}
