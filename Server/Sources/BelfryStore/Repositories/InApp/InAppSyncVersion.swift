import BelfryModel
import BelfryServerModel

/// The values that tell whether a device's in-app messages may have changed since its last sync, with the device's
/// link: one lookup by primary keys, which is all that most syncs cost (PERF-7).
package struct InAppSyncVersion: Hashable, Sendable {
    package let link: DeviceLink
    /// When the device's row was last written, in milliseconds since 1970.
    package let device: Int64
    /// When the contact's row was last written, in milliseconds since 1970; 0 without a contact.
    package internal(set) var contact: Int64
    /// The revision of the app's in-app campaigns.
    package let clock: Int64
    /// Whether an audience may change without any of these: it uses events or openings, or relative times.
    package let isVolatile: Bool
    /// Whether another device has the push token that this one had (REG-27).
    package var hasLostToken = false
}

extension InAppSyncVersion {
    /// The columns of `devices d`, `contacts c` and `in_app_clocks k`: those of the link, then the others.
    static let columns: SQLText = "\(DeviceLink.Column.selectList(of: "d")), \(Column.selectList)"
    /// The same without `contacts c`: as of a device that has no contact.
    static let ownColumns: SQLText = "\(DeviceLink.Column.selectList(of: "d")), \(Column.ownList)"

    private static let linkColumns = DeviceLink.Column.columnCount

    enum Column: Int, ResultColumn {
        case id, device, contact, clock, isVolatile, hasLostToken

        var sql: SQLText {
            switch self {
            case .id: "d.id"
            case .device: "d.updated_at"
            case .contact: "coalesce(c.updated_at, 0)"
            case .clock: "coalesce(k.version, 0)"
            case .isVolatile: "coalesce(k.volatile, 0)"
            case .hasLostToken: "CASE WHEN d.push_token IS NULL AND d.token_at IS NOT NULL THEN 1 ELSE 0 END"
            }
        }

        static var ownList: SQLText {
            allCases.map { column -> SQLText in column == .contact ? "0" : column.sql }.joined(by: ", ")
        }
    }

    init(_ row: any SQLRow) {
        let own = ResultRow<Column>(row, after: Self.linkColumns)
        let link = DeviceLink(id: own.integer(.id), row)
        self.init(
            link: link, device: own.integer(.device), contact: own.integer(.contact), clock: own.integer(.clock),
            isVolatile: own.flag(.isVolatile), hasLostToken: own.flag(.hasLostToken)
        )
    }
}
