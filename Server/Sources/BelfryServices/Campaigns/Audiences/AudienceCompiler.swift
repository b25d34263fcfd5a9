import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Makes SQL of an app's audiences, by its attributes and its time zone as they are in the transaction, or the
/// question, that goes on with it. Nothing is evaluated here (SEC-8).
struct AudienceCompiler {
    let connection: any SQLConnection
    let app: Int64

    /// The audience, ready to be asked for.
    ///
    /// - Parameter now: the moment that `within` and `-P30D` count from; of a campaign, that of its launch.
    func predicate(_ condition: Condition, now: Date) throws -> AudiencePredicate {
        try sql(now: now).compile(condition)
    }

    /// The same of a campaign.
    func predicate(of draft: CampaignDraft, now: Date) throws -> AudiencePredicate {
        try sql(now: now).compile(audienceOf: draft)
    }

    /// - Parameter now: likewise.
    func sql(now: Date) throws -> AudienceSQL {
        guard let record = try connection.apps.find(id: app) else {
            throw StoreError.corrupted(table: "apps", key: String(app))
        }
        return AudienceSQL(
            try connection.attributes.columns(app: app), dialect: connection.dialect, zone: record.settings.zone,
            now: now
        )
    }

    /// Refuses an audience that cannot be selected, and names every error (ADM-3).
    func check(_ condition: Condition) throws {
        try ServiceError.refuse(errors(of: condition))
    }

    /// Why an audience cannot be selected, if so.
    func errors(of condition: Condition) throws -> [FieldError] {
        // Which errors there are depends on no moment, and on no zone.
        let sql = try sql(now: Date(timeIntervalSince1970: 0))
        return sql.errors(of: condition).map(\.inAudience)
    }
}

extension ConditionError {
    /// The error with its field, from the campaign on.
    var inAudience: FieldError {
        FieldError(field: path.isEmpty ? "audience" : "audience.\(path)", error: error)
    }
}

extension AppSettings {
    /// Where dates without an offset are (ADM-2). A zone that this machine no longer knows counts as UTC.
    var zone: TimeZone { ZoneName(timeZoneName)?.timeZone ?? .gmt }
}
