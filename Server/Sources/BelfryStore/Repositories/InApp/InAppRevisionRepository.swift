import BelfryModel
import BelfryServerModel
import Foundation

/// How often an app's in-app messages have changed: a device that has seen this version has missed nothing.
package struct InAppRevision: Hashable, Sendable {
    /// Of an app that has never had an in-app message.
    package static let none = InAppRevision(version: 0, isVolatile: false)

    /// Grows with every change of an in-app campaign.
    package let version: Int64
    /// Whether an active campaign's audience changes though nobody changes a campaign, a contact or a device: by events,
    /// by openings, or as time goes by.
    package let isVolatile: Bool

    package init(version: Int64, isVolatile: Bool) {
        self.version = version
        self.isVolatile = isVolatile
    }
}

package struct InAppRevisionRepository {
    let connection: any SQLConnection

    package func find(app: Int64) throws -> InAppRevision {
        try connection.first("SELECT version, volatile FROM in_app_clocks WHERE app_id = ?", [.integer(app)]) {
            InAppRevision(version: $0.integer(0), isVolatile: $0.flag(1))
        } ?? .none
    }

    /// Notes a change of the app's in-app campaigns, in the transaction that makes it. The version follows the time, so
    /// that a store that was restored from a backup gives none again that devices have seen.
    package func advance(app: Int64, volatile: Bool, now: Date) throws {
        try connection.execute(
            """
            INSERT INTO in_app_clocks (app_id, version, volatile) VALUES (?, ?, ?)
            ON CONFLICT (app_id) DO UPDATE SET
                version = CASE WHEN excluded.version > in_app_clocks.version THEN excluded.version
                    ELSE in_app_clocks.version + 1 END,
                volatile = excluded.volatile
            """,
            [.integer(app), .integer(max(now.milliseconds, 1)), .flag(volatile)]
        )
    }

    /// The same after the change was stored: whether the audiences are volatile is read from the active campaigns.
    package func advance(app: Int64, now: Date) throws {
        let campaigns = try connection.inAppCampaigns.active(app: app)
        try advance(
            app: app, volatile: campaigns.contains { $0.campaign.draft.audience.isVolatile }, now: now
        )
    }

    /// Notes that what audiences mean has changed: the type of an attribute, or the app's zone. An app without in-app
    /// messages has nothing to note.
    package func audiencesChanged(app: Int64, now: Date) throws {
        guard try find(app: app) != .none else { return }
        try advance(app: app, now: now)
    }
}

extension SQLConnection {
    package var inAppRevisions: InAppRevisionRepository { InAppRevisionRepository(connection: self) }
}
