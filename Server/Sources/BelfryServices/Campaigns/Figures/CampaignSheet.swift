import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// The data at the top of a campaign's page (CON-7).
package struct CampaignSheet: Sendable {
    /// The campaign's figures. For a large ledger those of the last summation, without engagement in message centers
    /// and with in-app messages.
    package let standing: CampaignStanding
    /// The hours; nil before a launch, and until a large ledger is summed up.
    package let hours: CampaignHours?
    /// Whether the app has credentials for any push service.
    package let hasCredentials: Bool
    /// The attributes that the app has defined.
    package let schema: [String: AttributeType]
}

extension CampaignQueries {
    /// Reads the sheet in one database snapshot. A short read suffices, unless a ledger has to be summed up first
    /// (PERF-12).
    package func sheet(_ id: CampaignID, app: AppRecord) async throws -> CampaignSheet {
        let now = environment.now()
        let seen = try await database.glance { connection in
            try Self.sheet(id, app: app, now: now, sumsUp: false, in: connection)
        }
        if let seen { return seen }
        let made = try await database.read { connection in
            try Self.sheet(id, app: app, now: now, sumsUp: true, in: connection)
        }
        guard let made else { throw StoreError.corrupted(table: "campaigns", key: id.description) }
        return made
    }

    /// - Parameter sumsUp: whether a ledger may be summed up; if not, the result is nil if it would have to be.
    private static func sheet(
        _ id: CampaignID, app: AppRecord, now: Date, sumsUp: Bool, in connection: any SQLConnection
    ) throws -> CampaignSheet? {
        let row = try AppLookup(connection: connection, app: app.id).campaign(id)
        let wasLaunched = row.campaign.launchedAt != nil
        let isSmall = try !wasLaunched || hasFewRows(row, in: connection)
        let summed = try isSmall ? nil : standingSummedBefore(row, in: connection)
        guard sumsUp || summed != nil || !wasLaunched else { return nil }
        return CampaignSheet(
            standing: try summed ?? standing(row, in: connection),
            hours: try hours(row, isSmall: isSmall, at: now, in: connection),
            hasCredentials: try !connection.credentials.all(app: app.id).isEmpty,
            schema: try connection.attributes.schema(app: app.id)
        )
    }
}
