import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

extension SQLConnection {
    /// The audience as a condition over the app's audience table.
    ///
    /// - Parameter now: the moment that `within` and `-P30D` count from; of a campaign, that of its launch.
    func audience(_ condition: Condition, app: Int64, now: Date) throws -> SQLFragment {
        try audienceSQL(app: app, now: now).compile(condition)
    }

    func audienceSQL(app: Int64, now: Date) throws -> AudienceSQL {
        guard let record = try apps.find(id: app) else {
            throw StoreError.corrupted(table: "apps", key: String(app))
        }
        return AudienceSQL(
            try attributes.columns(app: app), dialect: dialect, zone: record.settings.zone, now: now
        )
    }

    /// Refuses an audience that cannot be selected, and names every fault (ADM-3).
    func checkAudience(_ condition: Condition, app: Int64) throws {
        // Which faults there are depends on no moment.
        let sql = try audienceSQL(app: app, now: Date(timeIntervalSince1970: 0))
        try ServiceError.refuse(sql.faults(of: condition).map(\.inAudience))
    }
}

extension ConditionFault {
    /// The fault with its field, from the campaign on.
    var inAudience: FieldRefusal {
        FieldRefusal(field: path.isEmpty ? "audience" : "audience.\(path)", refusal: refusal)
    }
}

extension AppSettings {
    /// Where dates without an offset are (ADM-2). A zone that this machine no longer knows counts as UTC.
    var zone: TimeZone { ZoneName(timeZoneName)?.timeZone ?? .gmt }
}
