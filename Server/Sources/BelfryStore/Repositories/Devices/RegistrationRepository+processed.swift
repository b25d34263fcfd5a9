import BelfryModel
import Foundation

/// The result of a registration, without the rest of its row.
package struct ProcessedRegistration: Hashable, Sendable {
    package let revision: Int64
    package let status: ReceiptStatus
    package let rejected: [RejectedField]
    package let processedAt: Date
}

extension ProcessedRegistration {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case revision, status, rejected, processedAt

        var sql: SQLText {
            switch self {
            case .revision: "revision"
            case .status: "status"
            case .rejected: "rejected"
            case .processedAt: "processed_at"
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        guard let status = ReceiptStatus(rawValue: row.text(.status)) else {
            throw StoreError.corrupted(table: "registrations", key: "revision \(row.integer(.revision))")
        }
        self.init(
            revision: row.integer(.revision), status: status,
            rejected: try JSONText.decode([RejectedField].self, row.text(.rejected)),
            processedAt: row.date(.processedAt)
        )
    }
}

extension RegistrationRepository {
    /// Its arguments are those of the condition on the registration, by default the first and the last number, and the
    /// app. No index is used for the app, which may have any number of devices. The newest applied registration of a
    /// device counts even without a contact: it may be from before the contact was recorded.
    ///
    /// The device of each registration is looked up by itself. An engine that plans without knowing the arguments
    /// assumes that the range is a large part of the table, and would join all devices.
    package static func newestOfEachContactSQL(
        in table: DeviceTable, _ condition: SQLText = "r.id BETWEEN ? AND ?"
    ) -> SQLText {
        """
        SELECT \(RegistrationRow.Column.selectList(of: "r")) FROM registrations r
        WHERE \(condition) AND r.status IN ('processed', 'partlyRejected') AND (
            SELECT CASE WHEN d.revision = r.revision THEN 1 WHEN r.contact_id IS NULL THEN 0
                WHEN EXISTS (
                    SELECT 1 FROM registrations n WHERE n.contact_id = r.contact_id AND n.device_id = r.device_id
                        AND n.revision > r.revision) THEN 0
                ELSE 1 END
            FROM \(table.name) d WHERE d.id = r.device_id AND d.app_id + 0 = ?) = 1
        ORDER BY r.id DESC
        """
    }

    /// The registrations with these numbers that are the newest applied ones of a device for one of its contacts,
    /// newest first, dormant devices included (REG-25), as far as there is room for their snapshots; the numbers of
    /// rows that cannot be read; and the last number that was read.
    package func newestOfEachContact(
        _ ids: ClosedRange<Int64>, app: Int64
    ) throws -> (rows: [RegistrationRow], unreadable: [Int64], reached: Int64) {
        var found: [(id: Int64, row: RegistrationRow?)] = []
        var reached = ids.lowerBound
        for table in DeviceTable.allCases {
            var room = ByteRoom(Self.maximumSnapshotBytes)
            let rows = try connection.query(
                Self.newestOfEachContactSQL(in: table),
                [.integer(ids.lowerBound), .integer(ids.upperBound), .integer(app)],
                texts: [RegistrationRow.Column.snapshot.rawValue], in: &room
            ) { row in
                (id: ResultRow<RegistrationRow.Column>(row).integer(.id), row: try? RegistrationRow(row))
            }
            if room.isCut, let last = rows.last { reached = max(reached, last.id) }
            found += rows
        }
        let known = found.filter { $0.id >= reached }.sorted { $0.id > $1.id }
        return (try settled(known.compactMap { $0.row }), known.filter { $0.row == nil }.map { $0.id }, reached)
    }

    /// Whether a registration is still as it was read, and still the newest applied one of its device for its contact.
    package func isNewestOfItsContact(_ row: RegistrationRow, app: Int64) throws -> Bool {
        let found = try DeviceTable.both { table in
            try connection.query(
                Self.newestOfEachContactSQL(in: table, "r.device_id = ? AND r.id = ?"),
                row.key.arguments + [.integer(app)]
            ) { try? RegistrationRow($0) }
        }
        return try settled(found.compactMap(\.self)) == [row]
    }

    /// Leaves out registrations that are being moved from one contact to another, or removed, however long that takes.
    /// A move takes the newest first, so what is left is not the newest of its device, unless the device has come back
    /// to the contact since.
    private func settled(_ rows: [RegistrationRow]) throws -> [RegistrationRow] {
        // No contact has the number 0.
        let moves = try connection.eventMoves.leaving(rows.map { (device: $0.device, contact: $0.contact ?? 0) })
        let staying = Set(try connection.endedInstallations.without(rows.map(\.device)))
        var settled: [RegistrationRow] = []
        for (row, move) in zip(rows, moves) where staying.contains(row.device) {
            if let move, try !isNewest(row, on: move) { continue }
            settled.append(row)
        }
        return settled
    }

    /// Whether the device has no newer registration for the contact to which the move leads.
    private func isNewest(_ row: RegistrationRow, on move: EventMove) throws -> Bool {
        guard let other = try connection.eventMoves.target(of: move) else { return false }
        let newer = try connection.first(
            "SELECT id FROM registrations WHERE contact_id = ? AND device_id = ? AND revision > ? LIMIT 1",
            [.integer(other), .integer(row.device), .integer(row.revision)]
        ) { $0.integer(0) }
        return newer == nil
    }

    /// The key is the contact, the device, a registration's number, and the limit.
    package static let newerForContactQuery = KeyedQuery { asked in
        """
        SELECT \(RegistrationRow.columns) FROM registrations
        WHERE contact_id = \(asked(.integer)) AND device_id = \(asked(.integer)) AND id + 0 > \(asked(.integer))
        ORDER BY revision DESC LIMIT \(asked(.integer))
        """
    }

    /// The newest applied registrations of each of some devices for a contact, since a given registration.
    ///
    /// - Parameter limit: the most registrations of each device.
    package func newer(
        than registration: Int64, for contact: Int64, of devices: [Int64], limit: Int
    ) throws -> [RegistrationRow] {
        try connection.queryEach(
            Self.newerForContactQuery,
            devices.map { [.integer(contact), .integer($0), .integer(registration), .integer(limit)] }
        ) {
            try RegistrationRow($0)
        }.flatMap(\.self)
    }

    /// The total bytes of these registrations' snapshots.
    package func newerBytes(
        than registration: Int64, for contact: Int64, of devices: [Int64], limit: Int
    ) throws -> Int {
        let bytes = connection.dialect.bytes(of: "snapshot")
        let query = KeyedQuery { asked in
            """
            SELECT \(bytes) FROM registrations
            WHERE contact_id = \(asked(.integer)) AND device_id = \(asked(.integer)) AND id + 0 > \(asked(.integer))
            ORDER BY revision DESC LIMIT \(asked(.integer))
            """
        }
        let keys: [[SQLValue]] = devices.map {
            [.integer(contact), .integer($0), .integer(registration), .integer(limit)]
        }
        return try connection.queryEach(query, keys) { Int($0.integer(0)) }.joined().reduce(0, +)
    }

    /// Moves a device's registrations from one contact to another (ID-8, ADM-5). The newest comes first; it is always
    /// moved, since a review needs it. Others follow as long as there is room.
    ///
    /// - Parameter other: the new contact; nil: the registrations are deleted.
    /// - Returns: whether all have been moved.
    func take(from contact: Int64, to other: Int64?, of device: Int64, in room: inout MoveRoom) throws -> Bool {
        let limit = max(room.registrations, 1)
        var bytes = ByteRoom(room.bytes)
        let before = bytes.left
        let taken = try connection.query(
            """
            SELECT id, revision, snapshot FROM registrations
            WHERE contact_id = ? AND device_id = ? ORDER BY revision DESC LIMIT ?
            """,
            [.integer(contact), .integer(device), .integer(limit)], texts: [2], in: &bytes
        ) { (id: $0.integer(0), revision: $0.integer(1)) }
        room.registrations -= taken.count
        room.bytes -= before - bytes.left
        guard let last = taken.last else { return true }
        if let other {
            try connection.executeLater(
                "UPDATE registrations SET contact_id = ? WHERE contact_id = ? AND device_id = ? AND revision >= ?",
                [.integer(other), .integer(contact), .integer(device), .integer(last.revision)]
            )
        } else {
            for row in taken { try delete(RegistrationKey(device: device, id: row.id)) }
        }
        return !bytes.isCut && taken.count < limit
    }

    /// The key is a device.
    package static let newestProcessedQuery = KeyedQuery { asked in
        """
        SELECT \(ProcessedRegistration.columns) FROM registrations
        WHERE device_id = \(asked(.integer)) AND status IN ('processed', 'partlyRejected')
        ORDER BY revision DESC, id DESC LIMIT 1
        """
    }

    /// The newest processed registration of a device. A superseded one is left out: it had no effect, and would hide
    /// the rejected fields of the one that counts.
    package func newestProcessed(of device: Int64) throws -> ProcessedRegistration? {
        try newestProcessed(of: [device]).first ?? nil
    }

    /// The newest processed registrations of several devices, in order.
    package func newestProcessed(of devices: [Int64]) throws -> [ProcessedRegistration?] {
        try connection.queryEach(Self.newestProcessedQuery, devices.map { [.integer($0)] }) {
            try ProcessedRegistration($0)
        }.map(\.first)
    }
}
