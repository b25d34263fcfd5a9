import BelfryServerModel

/// What an upload of events needs to know before it is written: its device's link, and which events its app waits for.
package struct UploadLink: Hashable, Sendable {
    package let link: DeviceLink
    /// Which events can bring a device into an audience of the app's messages, as they are stored: nil for none, which
    /// most apps have; where no campaign has changed since the question was first put, any (IAM-15).
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

    /// By a device.
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

/// The same for a registration: the device's link, and the highest revision that was received of it.
package struct RegisteringLink: Hashable, Sendable {
    package let link: DeviceLink
    /// 0 before the first.
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

    /// By a device.
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
    /// Nil for a device that is gone.
    package func registeringLinks(ids: [Int64]) throws -> [RegisteringLink?] {
        try connection.queryEach(RegisteringLink.query, ids.map { [.integer($0)] }) { RegisteringLink($0) }.map(\.first)
    }

    /// Nil for a device that is gone.
    package func uploadLinks(ids: [Int64]) throws -> [UploadLink?] {
        try connection.queryEach(UploadLink.query, ids.map { [.integer($0)] }) { UploadLink($0) }.map(\.first)
    }
}
