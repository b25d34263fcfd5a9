import BelfryModel
import Foundation

/// What became of a registration, and no more of its row.
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
    /// Its arguments are the first and the last number, and the app, by which nothing is searched: an app may have any
    /// number of devices. The newest of all that a device has applied counts without a contact, too: it may be from before
    /// that was noted.
    ///
    /// The device of each is asked for by itself. An engine that plans without the arguments takes the numbers for a part
    /// of the whole table, and would join all devices with them.
    package static func newestOfEachContactSQL(in table: DeviceTable) -> SQLText {
        """
        SELECT \(RegistrationRow.Column.selectList(of: "r")) FROM registrations r
        WHERE r.id BETWEEN ? AND ? AND r.status IN ('processed', 'partlyRejected') AND (
            SELECT CASE WHEN d.revision = r.revision THEN 1 WHEN r.contact_id IS NULL THEN 0
                WHEN EXISTS (
                    SELECT 1 FROM registrations n WHERE n.contact_id = r.contact_id AND n.device_id = r.device_id
                        AND n.revision > r.revision) THEN 0
                ELSE 1 END
            FROM \(table.name) d WHERE d.id = r.device_id AND d.app_id + 0 = ?) = 1
        ORDER BY r.id DESC
        """
    }

    /// The registrations with these numbers that their devices, dormant or not, have applied last for one of their
    /// contacts, the newest first (REG-25), as far as there is room for what they say; the numbers of those whose row
    /// cannot be read; and the last number of which that is known.
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

    /// Without what is on its way from one contact to another, or to nobody, however long that takes. The newest of it
    /// went first, so what is left is not the newest of its device for anybody, unless the device came back to the contact
    /// meanwhile.
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

    /// Whether the device has registered nothing newer for whom the move leads to.
    private func isNewest(_ row: RegistrationRow, on move: EventMove) throws -> Bool {
        guard let other = try connection.eventMoves.target(of: move) else { return false }
        let newer = try connection.first(
            "SELECT id FROM registrations WHERE contact_id = ? AND device_id = ? AND revision > ? LIMIT 1",
            [.integer(other), .integer(row.device), .integer(row.revision)]
        ) { $0.integer(0) }
        return newer == nil
    }

    /// By the contact, the device, a registration's number and how many at most.
    package static let newerForContactQuery = KeyedQuery { asked in
        """
        SELECT \(RegistrationRow.columns) FROM registrations
        WHERE contact_id = \(asked(.integer)) AND device_id = \(asked(.integer)) AND id + 0 > \(asked(.integer))
        ORDER BY revision DESC LIMIT \(asked(.integer))
        """
    }

    /// The newest that each of some devices has applied for a contact since a registration.
    ///
    /// - Parameter limit: of each device.
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

    /// How many bytes the snapshots of all of these have.
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

    /// What a device registered for one contact counts as registered for another (ID-8, ADM-5): the newest first, one in
    /// any case, since a review asks for that one, and more as long as there is room.
    ///
    /// - Parameter other: who gets it; nil: it is removed.
    /// - Returns: whether that is all.
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
            for row in taken { try delete(row.id) }
        }
        return !bytes.isCut && taken.count < limit
    }

    /// By a device.
    package static let newestProcessedQuery = KeyedQuery { asked in
        """
        SELECT \(ProcessedRegistration.columns) FROM registrations
        WHERE device_id = \(asked(.integer)) AND status IN ('processed', 'partlyRejected')
        ORDER BY revision DESC, id DESC LIMIT 1
        """
    }

    /// The newest of a device that was processed. One that was superseded has said nothing: it would hide what was
    /// rejected of the one that counts.
    package func newestProcessed(of device: Int64) throws -> ProcessedRegistration? {
        try newestProcessed(of: [device]).first ?? nil
    }

    /// The same of several devices, in their order.
    package func newestProcessed(of devices: [Int64]) throws -> [ProcessedRegistration?] {
        try connection.queryEach(Self.newestProcessedQuery, devices.map { [.integer($0)] }) {
            try ProcessedRegistration($0)
        }.map(\.first)
    }
}
