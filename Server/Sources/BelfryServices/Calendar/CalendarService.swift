import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// The calendar of an app: which campaigns are sent when (CON-6).
package struct CalendarService: Sendable {
    /// The most days of a calendar.
    package static let maximumDays = 42
    /// The most campaigns of each kind that are read: sent ones, planned ones, drafts.
    package static let maximumCampaigns = 200

    let database: any SQLDatabase
    let environment: ServerEnvironment

    package init(database: any SQLDatabase, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// Today in the app's time zone.
    package func today(in app: AppRecord) -> CalendarDay { CalendarDay(environment.now(), in: app.settings.zone) }

    /// The campaigns of some days, ordered by their start, including drafts that have a time.
    package func entries(
        from first: CalendarDay, days: Int, app: AppRecord
    ) async throws -> [CalendarEntry] {
        let time = Self.time(from: first, days: days, app: app)
        return try await database.read { connection in
            try Self.campaigns(app: app, time: time, in: connection).map(\.entry)
        }
    }

    /// How many of the planned messages of some days reach the same devices. It reads all devices of the app, so
    /// callers must limit how many calls run at the same time.
    package func pressure(
        from first: CalendarDay, days: Int, app: AppRecord
    ) async throws -> CampaignPressure {
        let time = Self.time(from: first, days: days, app: app)
        let now = environment.now()
        do {
            return try await database.ask(.counting(app: app.id)) { asked in
                let compiler = AudienceCompiler(connection: asked.connection, app: app.id)
                let planned = try Self.campaigns(app: app, time: time, in: asked.connection).filter { campaign in
                    campaign.entry.isPlanned && campaign.entry.notifies && campaign.entry.begins >= time.lowerBound
                }
                var entries: [CalendarEntry] = []
                var audiences: [AudiencePredicate] = []
                for campaign in planned.prefix(PredicateConnection.maximumOverlaps) {
                    // An audience that can no longer be compiled reaches nobody.
                    guard let audience = try? compiler.predicate(campaign.audience, now: now) else { continue }
                    entries.append(campaign.entry)
                    audiences.append(audience)
                }
                let counts = try asked.overlaps(app: app.id, audiences: audiences)
                return CampaignPressure(entries, left: planned.count - entries.count, counts: counts)
            }
        } catch let error where error.meansOverload {
            throw ServiceError.ofAudience(error)
        }
    }

    private static func time(from first: CalendarDay, days: Int, app: AppRecord) -> Range<Date> {
        let zone = app.settings.zone
        return first.start(in: zone)..<(first + min(max(days, 1), maximumDays)).start(in: zone)
    }

    private static func campaigns(
        app: AppRecord, time: Range<Date>, in connection: any SQLConnection
    ) throws -> [(entry: CalendarEntry, audience: Condition)] {
        let numbers =
            try connection.campaigns.unfinished(app: app.id, limit: maximumCampaigns)
            + connection.campaigns.ended(app: app.id, launched: time, limit: maximumCampaigns)
            + connection.campaigns.drafts(app: app.id, limit: maximumCampaigns)
        return try connection.campaigns.each(numbers) { row -> (entry: CalendarEntry, audience: Condition)? in
            guard let entry = CalendarEntry(row.campaign), entry.falls(into: time) else { return nil }
            return (entry, row.campaign.draft.audience)
        }.sorted { ($0.entry.begins, $0.entry.campaign.id.number) < ($1.entry.begins, $1.entry.campaign.id.number) }
    }
}
