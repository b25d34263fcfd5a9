import BelfryServerModel

/// The facts that an upload of events needs before it is written: its device's link, and which events matter to the
/// app's audiences.
package struct UploadLink: Hashable, Sendable {
    package let link: DeviceLink
    /// The stored names of events that can bring a device into an audience of the app's in-app messages. Nil: none, as
    /// in most apps. If no campaign has changed since the server first recorded this, any event counts (IAM-15).
    package let entering: EnteringEvents?
}

extension UploadLink {
    private static let linkColumns = DeviceLink.Column.columnCount

    private enum Column: Int, ResultColumn {
        case device, clock, enteredBy, events

        var sql: SQLText {
            switch self {
            case .device: "d.id"
            case .clock: "k.app_id"
            case .enteredBy: "k.entered_by"
            case .events: "k.entered_by_events"
            }
        }
    }

    /// The key is a device.
    package static let query = KeyedQuery { asked in
        """
        SELECT \(DeviceLink.Column.selectList(of: "d")), \(Column.selectList)
        FROM devices d LEFT JOIN in_app_clocks k ON k.app_id = d.app_id WHERE d.id = \(asked(.integer))
        """
    }

    init(_ row: any SQLRow) {
        let own = ResultRow<Column>(row, after: Self.linkColumns)
        link = DeviceLink(id: own.integer(.device), row)
        if own.isNull(.clock) {
            entering = nil
        } else {
            entering = own.isNull(.enteredBy) ? .any : own.optionalText(.events).map(EnteringEvents.named)
        }
    }
}

/// The facts that a registration needs: the device's link, and the highest revision received from it.
package struct RegisteringLink: Hashable, Sendable {
    package let link: DeviceLink
    /// 0 before the first registration.
    package let highestRevision: Int64
}

extension RegisteringLink {
    private static let linkColumns = DeviceLink.Column.columnCount

    private enum Column: Int, ResultColumn {
        case device, highestRevision

        var sql: SQLText {
            switch self {
            case .device: "d.id"
            case .highestRevision: "(SELECT max(revision) FROM registrations r WHERE r.device_id = d.id)"
            }
        }
    }

    /// The key is a device.
    package static let query = KeyedQuery { asked in
        """
        SELECT \(DeviceLink.Column.selectList(of: "d")), \(Column.selectList)
        FROM devices d WHERE d.id = \(asked(.integer))
        """
    }

    init(_ row: any SQLRow) {
        let own = ResultRow<Column>(row, after: Self.linkColumns)
        link = DeviceLink(id: own.integer(.device), row)
        highestRevision = own.integer(.highestRevision)
    }
}

extension DeviceRepository {
    /// The links of some devices, in order; nil for a device that no longer exists.
    package func registeringLinks(ids: [Int64]) throws -> [RegisteringLink?] {
        try connection.queryEach(RegisteringLink.query, ids.map { [.integer($0)] }) { RegisteringLink($0) }.map(\.first)
    }

    /// The links of some devices, in order; nil for a device that no longer exists.
    package func uploadLinks(ids: [Int64]) throws -> [UploadLink?] {
        try connection.queryEach(UploadLink.query, ids.map { [.integer($0)] }) { UploadLink($0) }.map(\.first)
    }
}
