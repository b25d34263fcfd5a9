import Foundation

/// The stored response to a write that may be repeated (ADM-3), or the reservation for it.
package struct IdempotentResponseRow: Hashable, Sendable {
    /// The hash of the request.
    package let requestHash: [UInt8]
    /// The HTTP status; nil while the write is under way.
    package let status: Int?
    package let body: String
    package let createdAt: Date
}

extension IdempotentResponseRow {
    /// The stored status while the write is under way.
    fileprivate static let underWay = 0

    static let columns = Column.selectList

    enum Column: Int, ResultColumn {
        case requestHash, status, body, createdAt

        var sql: SQLText {
            switch self {
            case .requestHash: "request_hash"
            case .status: "status"
            case .body: "body"
            case .createdAt: "created_at"
            }
        }
    }

    init(_ row: any SQLRow) {
        let row = ResultRow<Column>(row)
        let status = Int(row.integer(.status))
        self.init(
            requestHash: row.blob(.requestHash), status: status == Self.underWay ? nil : status, body: row.text(.body),
            createdAt: row.date(.createdAt)
        )
    }
}

package struct IdempotencyRepository {
    let connection: any SQLConnection

    package func find(principal: String, key: String) throws -> IdempotentResponseRow? {
        try connection.first(
            """
            SELECT \(IdempotentResponseRow.columns) FROM idempotent_answers
            WHERE principal = ? AND idempotency_key = ?
            """,
            [.text(principal), .text(key)], IdempotentResponseRow.init
        )
    }

    /// Reserves a place for the response; an existing one is overwritten.
    package func reserve(principal: String, key: String, requestHash: [UInt8], now: Date) throws {
        try connection.execute(
            """
            INSERT INTO idempotent_answers (principal, idempotency_key, request_hash, status, body, created_at)
            VALUES (?, ?, ?, ?, '', ?)
            ON CONFLICT (principal, idempotency_key) DO UPDATE SET request_hash = excluded.request_hash,
                status = excluded.status, body = excluded.body, created_at = excluded.created_at
            """,
            [.text(principal), .text(key), .blob(requestHash), .integer(IdempotentResponseRow.underWay), .date(now)]
        )
    }

    /// Stores the response in the place that was reserved at that moment, unless another request has reserved it since.
    package func fill(principal: String, key: String, reservedAt: Date, status: Int, body: String) throws {
        try connection.execute(
            """
            UPDATE idempotent_answers SET status = ?, body = ?
            WHERE principal = ? AND idempotency_key = ? AND status = ? AND created_at = ?
            """,
            [
                .integer(status), .text(body), .text(principal), .text(key), .integer(IdempotentResponseRow.underWay),
                .date(reservedAt),
            ]
        )
    }

    /// Removes the reservation.
    package func release(principal: String, key: String, reservedAt: Date) throws {
        try connection.execute(
            """
            DELETE FROM idempotent_answers
            WHERE principal = ? AND idempotency_key = ? AND status = ? AND created_at = ?
            """,
            [.text(principal), .text(key), .integer(IdempotentResponseRow.underWay), .date(reservedAt)]
        )
    }
}

extension SQLConnection {
    package var idempotency: IdempotencyRepository { IdempotencyRepository(connection: self) }
}
