import BelfryModel
import Foundation

/// By what a registration is found, changed and deleted. The device says on which server the row is, if several hold
/// the database (FLEET-5).
package struct RegistrationKey: Hashable, Sendable {
    package let device: Int64
    package let id: Int64

    package init(device: Int64, id: Int64) {
        self.device = device
        self.id = id
    }

    /// The condition for one registration; its arguments are ``arguments``.
    static let condition: SQLText = "device_id = ? AND id = ?"

    var arguments: [SQLValue] { [.integer(device), .integer(id)] }
}

/// A received registration; its snapshot is kept as it arrived.
package struct RegistrationRow: Hashable, Sendable {
    package let id: Int64
    package let device: Int64
    package let registrationID: String
    package let revision: Int64
    package let snapshot: String
    package let status: ReceiptStatus
    package let rejected: [RejectedField]
    package let order: PropertyOrder
    package let receivedAt: Date
    /// The contact to which it was applied, or the one that took over that contact's history; nil: none, or not
    /// recorded yet.
    package let contact: Int64?
    /// The names of the attributes that were accepted, if ``rejected`` does not list all others.
    package let accepted: [String]?

    package var key: RegistrationKey { RegistrationKey(device: device, id: id) }
}

extension RegistrationRow {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, device, registrationID, revision, snapshot, status, rejected, requestOrder, receivedAt, generation
        case contact, accepted

        var sql: SQLText {
            switch self {
            case .id: "id"
            case .device: "device_id"
            case .registrationID: "registration_id"
            case .revision: "revision"
            case .snapshot: "snapshot"
            case .status: "status"
            case .rejected: "rejected"
            case .requestOrder: "request_order"
            case .receivedAt: "received_at"
            case .generation: "generation"
            case .contact: "contact_id"
            case .accepted: "accepted"
            }
        }
    }

    init(_ row: any SQLRow) throws {
        let row = ResultRow<Column>(row)
        guard let status = ReceiptStatus(rawValue: row.text(.status)) else {
            throw StoreError.corrupted(table: "registrations", key: row.text(.registrationID))
        }
        self.init(
            id: row.integer(.id), device: row.integer(.device), registrationID: row.text(.registrationID),
            revision: row.integer(.revision), snapshot: row.text(.snapshot), status: status,
            rejected: try JSONText.decode([RejectedField].self, row.text(.rejected)),
            order: PropertyOrder(generation: row.integer(.generation), milliseconds: row.integer(.requestOrder)),
            receivedAt: row.date(.receivedAt), contact: row.optionalInteger(.contact),
            accepted: try row.optionalText(.accepted).map { try JSONText.decode([String].self, $0) }
        )
    }
}

/// The snapshot of a waiting registration, without the rest of its row.
package struct WaitingSnapshot: Hashable, Sendable {
    package let key: RegistrationKey
    package let text: String

    package var id: Int64 { key.id }

    package init(_ key: RegistrationKey, text: String) {
        self.key = key
        self.text = text
    }
}

extension WaitingSnapshot {
    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case id, device, snapshot

        var sql: SQLText {
            switch self {
            case .id: "id"
            case .device: "device_id"
            case .snapshot: "snapshot"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        self.init(RegistrationKey(device: row.integer(.device), id: row.integer(.id)), text: row.text(.snapshot))
    }
}

/// A registration that was just received, and waits to be processed.
package struct NewRegistration: Sendable {
    /// The row's values in the order of the table.
    fileprivate let row: [SQLValue]

    package init(
        _ registrationID: String, revision: Int64, snapshot: String, device: Int64, order: PropertyOrder, now: Date
    ) {
        row = [
            .integer(device), .text(registrationID), .integer(revision), .text(snapshot),
            .text(ReceiptStatus.received.rawValue), .text("[]"), .integer(order.milliseconds),
            .integer(order.generation), .date(now),
        ]
    }
}

package struct RegistrationRepository {
    /// The most registrations of a device that are processed together: as many as it can send within a minute at its
    /// usual rate.
    package static let maximumSettled = 600
    /// The bytes of snapshots of one device after which a read stops: each may have a megabyte (SEC-2).
    package static let maximumSnapshotBytes = 4 << 20

    let connection: any SQLConnection

    /// Stores a snapshot. A repeated registration id changes nothing and returns false (WIRE-25).
    package func insert(
        _ registrationID: String, revision: Int64, snapshot: String, device: Int64, order: PropertyOrder, now: Date
    ) throws -> Bool {
        let new = NewRegistration(
            registrationID, revision: revision, snapshot: snapshot, device: device, order: order, now: now
        )
        return try insert([new]).contains(true)
    }

    /// Stores each registration once; false for an id that its device has used before.
    package func insert(_ registrations: [NewRegistration]) throws -> [Bool] {
        try connection.insertNew(Self.insert, registrations.map(\.row))
    }

    private static let insert = KeyedInsert(
        into: "registrations",
        [
            .init("device_id", .integer), .init("registration_id", .text), .init("revision", .integer),
            .init("snapshot", .text), .init("status", .text), .init("rejected", .text),
            .init("request_order", .integer), .init("generation", .integer), .init("received_at", .integer),
        ],
        key: [0, 1]
    )

    package func find(device: Int64, registrationID: String) throws -> RegistrationRow? {
        try connection.first(
            "SELECT \(RegistrationRow.columns) FROM registrations WHERE device_id = ? AND registration_id = ?",
            [.integer(device), .text(registrationID)], RegistrationRow.init
        )
    }

    package func highestRevision(device: Int64) throws -> Int64 {
        try connection.first("SELECT max(revision) FROM registrations WHERE device_id = ?", [.integer(device)]) {
            $0.integer(0)
        } ?? 0
    }

    /// The snapshots of the oldest waiting registrations, also if they cannot be processed; no row is locked.
    ///
    /// - Parameters:
    ///   - maximumBytes: the most bytes of all snapshots together. A longer one is returned alone.
    ///   - set: registrations to leave out, because they are processed one by one.
    package func waitingSnapshots(
        limit: Int, maximumBytes: Int, except set: [Int64] = []
    ) throws -> [WaitingSnapshot] {
        let (without, numbers) = without(set)
        let bytes = connection.dialect.bytes(of: "snapshot")
        let waiting = try connection.query(
            "SELECT id, \(bytes) FROM registrations WHERE status = 'received'\(without) ORDER BY id LIMIT ?",
            numbers + [.integer(limit)]
        ) { (id: $0.integer(0), bytes: Int($0.integer(1))) }
        var sum = 0
        var fitting: [Int64] = []
        for row in waiting {
            sum += row.bytes
            guard fitting.isEmpty || sum <= maximumBytes else { break }
            fitting.append(row.id)
        }
        guard let last = fitting.last else { return [] }
        return try connection.query(
            """
            SELECT \(WaitingSnapshot.columns) FROM registrations
            WHERE status = 'received' AND id <= ?\(without) ORDER BY id LIMIT ?
            """,
            [.integer(last)] + numbers + [.integer(fitting.count)], WaitingSnapshot.init
        )
    }

    /// The key of the registration with this number, for callers that know nothing else of it.
    package func key(of id: Int64) throws -> RegistrationKey? {
        try connection.first("SELECT device_id FROM registrations WHERE id = ?", [.integer(id)]) {
            RegistrationKey(device: $0.integer(0), id: id)
        }
    }

    /// The snapshot of this registration, if it waits; no row is locked.
    package func waitingSnapshot(id: Int64) throws -> WaitingSnapshot? {
        try connection.first(
            "SELECT \(WaitingSnapshot.columns) FROM registrations WHERE id = ? AND status = 'received'",
            [.integer(id)], WaitingSnapshot.init
        )
    }

    /// The condition that leaves registrations out; usually there are none.
    func without(_ ids: [Int64]) -> (sql: SQLText, arguments: [SQLValue]) {
        ids.isEmpty ? ("", []) : (" AND id NOT IN (\(connection.dialect.integers))", [.integers(ids)])
    }

    /// The first waiting registrations of a device above a revision, the oldest first, as far as there is room for
    /// them.
    ///
    /// - Parameter id: the registration after which they come.
    /// - Returns: the registrations, and whether there may be more.
    package func waiting(
        of device: Int64, above revision: Int64 = .min, after id: Int64 = 0, limit: Int = .max
    ) throws -> (rows: [RegistrationRow], isCut: Bool) {
        var room = ByteRoom(Self.maximumSnapshotBytes)
        // The sum keeps an engine from using the comparison to scan the waiting registrations of all devices.
        let rows = try connection.query(
            """
            SELECT \(RegistrationRow.columns) FROM registrations
            WHERE device_id = ? AND revision > ? AND status = 'received' AND id + 0 > ? ORDER BY id LIMIT ?
            """,
            [.integer(device), .integer(revision), .integer(id), .integer(limit)],
            texts: [RegistrationRow.Column.snapshot.rawValue], in: &room, RegistrationRow.init
        )
        return (rows, room.isCut)
    }

    /// Makes a finished registration wait again, if it still exists.
    package func unfinish(_ key: RegistrationKey) throws {
        try connection.execute(
            """
            UPDATE registrations SET status = 'received', rejected = '[]', contact_id = NULL, accepted = NULL,
                processed_at = NULL
            WHERE \(RegistrationKey.condition)
            """,
            key.arguments
        )
    }

    /// - Parameters:
    ///   - contact: the contact to which it was applied.
    ///   - accepted: the names of the accepted attributes, if the rejected fields do not list all others.
    package func finish(
        _ key: RegistrationKey, status: ReceiptStatus, rejected: [RejectedField], contact: Int64? = nil,
        accepted: [String]? = nil, now: Date
    ) throws {
        try connection.executeLater(
            """
            UPDATE registrations SET status = ?, rejected = ?, contact_id = ?, accepted = ?, processed_at = ?
            WHERE \(RegistrationKey.condition)
            """,
            [
                .text(status.rawValue), .text(try JSONText.encode(rejected)), .optional(contact),
                .optional(try accepted.map(JSONText.encode)), .date(now),
            ] + key.arguments
        )
    }
}

extension SQLConnection {
    package var registrations: RegistrationRepository { RegistrationRepository(connection: self) }
}
