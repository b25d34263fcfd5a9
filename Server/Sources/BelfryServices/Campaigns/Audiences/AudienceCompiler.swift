import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Compiles an app's audiences to SQL, with the app's attributes and time zone as they are in the transaction or
/// audience query that uses the SQL. It evaluates nothing (SEC-8).
struct AudienceCompiler {
    let connection: any SQLConnection
    let app: Int64

    /// The compiled predicate of an audience.
    ///
    /// - Parameter now: the time that `within` and `-P30D` count from; for a campaign, its launch.
    func predicate(_ condition: Condition, now: Date) throws -> AudiencePredicate {
        try sql(now: now).compile(condition)
    }

    /// The compiled predicate of a campaign's audience.
    ///
    /// - Parameter now: as for ``predicate(_:now:)``.
    func predicate(of draft: CampaignDraft, now: Date) throws -> AudiencePredicate {
        try sql(now: now).compile(audienceOf: draft)
    }

    /// - Parameter now: as for ``predicate(_:now:)``.
    func sql(now: Date) throws -> AudienceSQL {
        guard let record = try connection.apps.find(id: app) else {
            throw StoreError.corrupted(table: "apps", key: String(app))
        }
        return AudienceSQL(
            try connection.attributes.columns(app: app), dialect: connection.dialect, zone: record.settings.zone,
            now: now
        )
    }

    /// Throws an error for each part of an audience that cannot be compiled (ADM-3).
    func check(_ condition: Condition) throws {
        try ServiceError.reject(errors(of: condition))
    }

    /// The errors for which an audience cannot be compiled; empty if it can.
    func errors(of condition: Condition) throws -> [FieldError] {
        // The errors depend on neither the time nor the time zone.
        let sql = try sql(now: Date(timeIntervalSince1970: 0))
        return sql.errors(of: condition).map(\.inAudience)
    }
}

extension ConditionError {
    /// The error with its field as a path from the campaign's body.
    var inAudience: FieldError {
        FieldError(field: path.isEmpty ? "audience" : "audience.\(path)", error: error)
    }
}

extension AppSettings {
    /// The time zone for dates without an offset (ADM-2). A zone that this machine no longer knows counts as UTC.
    var zone: TimeZone { ZoneName(timeZoneName)?.timeZone ?? .gmt }
}
