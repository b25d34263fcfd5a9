import BelfryModel
import BelfryServerModel
import Foundation

/// The revision of an app's in-app messages: a device that has seen this version has all changes.
package struct InAppRevision: Hashable, Sendable {
    /// The revision of an app that has never had an in-app message.
    package static let none = InAppRevision(version: 0, isVolatile: false)

    /// Grows with every change of an in-app campaign.
    package let version: Int64
    /// Whether the audience of an active campaign can change without a change of a campaign, a contact or a device:
    /// through events, openings, or the passing of time.
    package let isVolatile: Bool

    package init(version: Int64, isVolatile: Bool) {
        self.version = version
        self.isVolatile = isVolatile
    }
}

/// The events that can bring a device into an audience.
package enum EnteringEvents: Hashable, Sendable {
    case any
    /// Their names, as a JSON array.
    case named(String)

    /// The names; nil for any event.
    package func names() throws -> Set<String>? {
        switch self {
        case .any: nil
        case .named(let json): Set(try JSONText.decode([String].self, json))
        }
    }
}

package struct InAppRevisionRepository {
    let connection: any SQLConnection

    package func find(app: Int64) throws -> InAppRevision {
        try connection.first("SELECT version, volatile FROM in_app_clocks WHERE app_id = ?", [.integer(app)]) {
            InAppRevision(version: $0.integer(0), isVolatile: $0.flag(1))
        } ?? .none
    }

    /// Records a change of the app's in-app campaigns, in the transaction of that change. The version follows the
    /// clock, so that a store that was restored from a backup does not repeat versions that devices have seen.
    ///
    /// - Parameter entrances: how devices can enter the audiences of the app's messages (IAM-15).
    package func advance(app: Int64, volatile: Bool, entrances: AudienceEntrances, now: Date) throws {
        let events = entrances.events.isEmpty ? nil : try JSONText.encode(entrances.events.sorted())
        try connection.execute(
            """
            INSERT INTO in_app_clocks (app_id, version, volatile, entered_by, entered_by_events) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (app_id) DO UPDATE SET
                version = CASE WHEN excluded.version > in_app_clocks.version THEN excluded.version
                    ELSE in_app_clocks.version + 1 END,
                volatile = excluded.volatile, entered_by = excluded.entered_by,
                entered_by_events = excluded.entered_by_events
            """,
            [
                .integer(app), .integer(max(now.milliseconds, 1)), .flag(volatile),
                .integer(entrances.changes.rawValue), .optional(events),
            ]
        )
    }

    /// Records a change that is already stored: whether audiences are volatile is read from the active campaigns.
    package func advance(app: Int64, now: Date) throws {
        let audiences = try connection.inAppCampaigns.active(app: app).map(\.campaign.draft.audience)
        try advance(
            app: app, volatile: audiences.contains(where: \.isVolatile),
            entrances: audiences.map(AudienceEntrances.init(to:)).reduce(.none) { $0.union($1) }, now: now
        )
    }

    /// Records that the meaning of audiences has changed, through the type of an attribute or the app's time zone. Does
    /// nothing for an app without in-app messages.
    package func audiencesChanged(app: Int64, now: Date) throws {
        guard try find(app: app) != .none else { return }
        try advance(app: app, now: now)
    }
}

extension SQLConnection {
    package var inAppRevisions: InAppRevisionRepository { InAppRevisionRepository(connection: self) }
}
