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
    /// The registrations with these numbers that their devices have applied last, the newest first.
    package func appliedLast(_ ids: ClosedRange<Int64>, app: Int64) throws -> [RegistrationRow] {
        try connection.query(
            """
            SELECT \(RegistrationRow.Column.selectList(of: "r")) FROM registrations r
            JOIN devices d ON d.id = r.device_id AND d.revision = r.revision
            WHERE r.id BETWEEN ? AND ? AND d.app_id = ? AND r.status IN ('processed', 'partlyRejected')
            ORDER BY r.id DESC
            """,
            [.integer(ids.lowerBound), .integer(ids.upperBound), .integer(app)], RegistrationRow.init
        )
    }

    package func find(id: Int64) throws -> RegistrationRow? {
        try connection.first(
            "SELECT \(RegistrationRow.columns) FROM registrations WHERE id = ?", [.integer(id)], RegistrationRow.init
        )
    }

    /// The device is its argument.
    package static let newestProcessedSQL: SQLText = """
        SELECT \(ProcessedRegistration.columns) FROM registrations
        WHERE device_id = ? AND status IN ('processed', 'partlyRejected') ORDER BY revision DESC, id DESC LIMIT 1
        """

    /// The newest of a device that was processed. One that was superseded has said nothing: it would hide what was
    /// rejected of the one that counts.
    package func newestProcessed(of device: Int64) throws -> ProcessedRegistration? {
        try newestProcessed(of: [device]).first ?? nil
    }

    /// The same of several devices, in their order.
    package func newestProcessed(of devices: [Int64]) throws -> [ProcessedRegistration?] {
        try connection.queryEach(Self.newestProcessedSQL, devices.map { [.integer($0)] }) {
            try ProcessedRegistration($0)
        }.map(\.first)
    }
}
