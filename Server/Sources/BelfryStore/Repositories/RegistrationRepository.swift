import BelfryModel
import Foundation

/// A registration that was received; its snapshot is kept as it came.
package struct RegistrationRow: Hashable, Sendable {
    package let id: Int64
    package let device: Int64
    package let registrationID: String
    package let revision: Int64
    package let snapshot: String
    package let status: ReceiptStatus
    package let rejected: [RejectedField]
    package let requestOrder: Int64
    package let receivedAt: Date
}

/// What a registration says that waits, and no more of its row.
package struct WaitingSnapshot: Hashable, Sendable {
    package let id: Int64
    package let text: String

    package init(id: Int64, text: String) {
        self.id = id
        self.text = text
    }
}

package struct RegistrationRepository {
    /// As many as a device can say within a minute at its usual rate.
    private static let maximumSettled = 600

    let connection: any SQLConnection

    static let columns: SQLText =
        "id, device_id, registration_id, revision, snapshot, status, rejected, request_order, received_at"

    /// Stores a snapshot; a repeated registration id changes nothing, and gives false (WIRE-25).
    package func insert(
        _ registrationID: String, revision: Int64, snapshot: String, device: Int64, requestOrder: Int64, now: Date
    ) throws -> Bool {
        let inserted = try connection.execute(
            """
            INSERT INTO registrations (device_id, registration_id, revision, snapshot, status, rejected, request_order,
                received_at)
            VALUES (?, ?, ?, ?, 'received', '[]', ?, ?) ON CONFLICT (device_id, registration_id) DO NOTHING
            """,
            [
                .integer(device), .text(registrationID), .integer(revision), .text(snapshot), .integer(requestOrder),
                .date(now),
            ]
        )
        return inserted > 0
    }

    package func find(device: Int64, registrationID: String) throws -> RegistrationRow? {
        try connection.first(
            "SELECT \(Self.columns) FROM registrations WHERE device_id = ? AND registration_id = ?",
            [.integer(device), .text(registrationID)], read
        )
    }

    package func highestRevision(device: Int64) throws -> Int64 {
        try connection.first("SELECT max(revision) FROM registrations WHERE device_id = ?", [.integer(device)]) {
            $0.integer(0)
        } ?? 0
    }

    /// What the oldest say that wait, whatever stands in them; nothing is locked.
    ///
    /// - Parameter maximumLength: characters that they have together. One that is longer comes alone.
    package func waitingSnapshots(limit: Int, maximumLength: Int) throws -> [WaitingSnapshot] {
        let waiting = try connection.query(
            "SELECT id, length(snapshot) FROM registrations WHERE status = 'received' ORDER BY id LIMIT ?",
            [.integer(limit)]
        ) { (id: $0.integer(0), length: Int($0.integer(1))) }
        var length = 0
        var fitting: [Int64] = []
        for row in waiting {
            length += row.length
            guard fitting.isEmpty || length <= maximumLength else { break }
            fitting.append(row.id)
        }
        guard let last = fitting.last else { return [] }
        return try connection.query(
            "SELECT id, snapshot FROM registrations WHERE status = 'received' AND id <= ? ORDER BY id LIMIT ?",
            [.integer(last), .integer(fitting.count)]
        ) { WaitingSnapshot(id: $0.integer(0), text: $0.text(1)) }
    }

    /// The oldest that wait, up to a number, locked until the transaction ends.
    package func claimWaiting(through last: Int64 = .max, limit: Int) throws -> [RegistrationRow] {
        try connection.query(
            """
            SELECT \(Self.columns) FROM registrations WHERE status = 'received' AND id <= ? ORDER BY id LIMIT ?
            \(connection.dialect.skipLocked)
            """,
            [.integer(last), .integer(limit)], read
        )
    }

    /// Those of a device that wait and are above a revision, the oldest first.
    package func claimWaiting(of device: Int64, above revision: Int64) throws -> [RegistrationRow] {
        try connection.query(
            """
            SELECT \(Self.columns) FROM registrations
            WHERE device_id = ? AND revision > ? AND status = 'received' ORDER BY id LIMIT \(Self.maximumSettled)
            """,
            [.integer(device), .integer(revision)], read
        )
    }

    /// This one, if it still waits, locked until the transaction ends.
    package func claimWaiting(id: Int64) throws -> RegistrationRow? {
        try connection.first(
            """
            SELECT \(Self.columns) FROM registrations WHERE id = ? AND status = 'received'
            \(connection.dialect.skipLocked)
            """,
            [.integer(id)], read
        )
    }

    package func finish(_ id: Int64, status: ReceiptStatus, rejected: [RejectedField], now: Date) throws {
        try connection.execute(
            "UPDATE registrations SET status = ?, rejected = ?, processed_at = ? WHERE id = ?",
            [.text(status.rawValue), .text(try JSONText.encode(rejected)), .date(now), .integer(id)]
        )
    }

    func read(_ row: any SQLRow) throws -> RegistrationRow {
        guard let status = ReceiptStatus(rawValue: row.text(5)) else {
            throw StoreError.corrupted(table: "registrations", key: row.text(2))
        }
        return RegistrationRow(
            id: row.integer(0), device: row.integer(1), registrationID: row.text(2), revision: row.integer(3),
            snapshot: row.text(4), status: status, rejected: try JSONText.decode([RejectedField].self, row.text(6)),
            requestOrder: row.integer(7), receivedAt: row.date(8)
        )
    }
}

extension SQLConnection {
    package var registrations: RegistrationRepository { RegistrationRepository(connection: self) }
}
