import BelfryModel

/// Computes audience rows again from devices and contacts.
extension AudienceRepository {
    /// Rows that are read in one page.
    private static let page = 1_000

    /// For devices that were written without the repositories, and for those from before the audience table.
    package func rebuild(app: Int64, devices: ClosedRange<Int64> = 0...Int64.max) throws {
        let columns = try connection.attributes.columns(app: app)
        let attributes = columns.attributes.sorted { $0.value.number < $1.value.number }
        try connection.execute(
            "DELETE FROM \(columns.table) WHERE device_id BETWEEN ? AND ?",
            [.integer(devices.lowerBound), .integer(devices.upperBound)]
        )
        let names: [SQLText] =
            ["device_id", "contact_id"] + AudienceDevice.own + ["known"]
            + attributes.flatMap { [$0.value.text, $0.value.numeric] }
        let insert: SQLText =
            "INSERT INTO \(columns.table) (\(names.joined(by: ", "))) VALUES (\(SQLText.marks(names.count)))"
        var position = devices.lowerBound
        while true {
            let rows = try connection.query(
                Self.sourceSQL,
                [.integer(app), .integer(position), .integer(devices.upperBound), .integer(Self.page)]
            ) { try Self.values(of: $0, attributes.map { (name: $0.key, column: $0.value) }) }
            try connection.executeEach(insert, rows)
            guard rows.count == Self.page, case .integer(let last)? = rows.last?.first, last < Int64.max else { return }
            position = last + 1
        }
    }

    /// The selected values after those of ``AudienceDevice``.
    private enum SourceColumn: Int, ResultColumn {
        case device, known, attributes

        var sql: SQLText {
            switch self {
            case .device: "d.id"
            case .known: "c.known"
            case .attributes: "c.attributes"
            }
        }
    }

    private static let deviceColumns = AudienceDevice.Column.columnCount

    /// Its arguments are the app, the first and the last device, and the limit.
    private static let sourceSQL: SQLText = """
        SELECT \(AudienceDevice.Column.selectList(of: "d")), \(SourceColumn.selectList)
        FROM (SELECT id, contact_id, last_opened_at, platform, os_version, app_version, sdk_version, device_model,
                locale, time_zone, \(DeviceRow.isOptedInSQL) AS \(AudienceDevice.Column.isOptedIn.sql)
            FROM devices WHERE app_id = ? AND id BETWEEN ? AND ? ORDER BY id LIMIT ?) d
        LEFT JOIN contacts c ON c.id = d.contact_id ORDER BY d.id
        """

    private static func values(
        of row: any SQLRow, _ attributes: [(name: String, column: AudienceColumns.Attribute)]
    ) throws -> [SQLValue] {
        let device = AudienceDevice(row)
        let source = ResultRow<SourceColumn>(row, after: deviceColumns)
        let values = try source.optionalText(.attributes).map { try StoredAttributes.read($0) } ?? [:]
        let key: [SQLValue] = [.integer(source.integer(.device)), .optional(device.contact)]
        let known = SQLValue.optional(source.optionalFlag(.known))
        return key + device.values + [known] + attributes.flatMap { $0.column.values(of: values[$0.name]) }
    }

    /// Computes the numbers of an attribute again after its type has changed from or to a date. All other types read
    /// values in the same way.
    func renumber(_ attribute: AudienceColumns.Attribute, app: Int64) throws {
        let table = AudienceColumns.table(of: app)
        var position: Int64 = 0
        while true {
            let rows = try connection.query(
                """
                SELECT device_id, \(attribute.text) FROM \(table)
                WHERE device_id > ? AND \(attribute.text) IS NOT NULL ORDER BY device_id LIMIT ?
                """,
                [.integer(position), .integer(Self.page)]
            ) { (device: $0.integer(0), text: $0.text(1)) }
            try connection.executeEach(
                "UPDATE \(table) SET \(attribute.numeric) = ? WHERE device_id = ?",
                rows.map { [attribute.values(of: .string($0.text))[1], .integer($0.device)] }
            )
            guard rows.count == Self.page, let last = rows.last else { return }
            position = last.device
        }
    }
}
