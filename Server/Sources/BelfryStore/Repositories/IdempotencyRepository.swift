import Foundation

/// The answer to a write that may come again (ADM-3), or the place that is kept for it.
package struct IdempotentAnswerRow: Hashable, Sendable {
    /// Of what was asked for.
    package let requestHash: [UInt8]
    /// The HTTP status; nil while the write is under way.
    package let status: Int?
    package let body: String
    package let createdAt: Date
}

package struct IdempotencyRepository {
    /// What stands for a status while there is none.
    private static let underWay = 0

    let connection: any SQLConnection

    package func find(principal: String, key: String) throws -> IdempotentAnswerRow? {
        try connection.first(
            """
            SELECT request_hash, status, body, created_at FROM idempotent_answers
            WHERE principal = ? AND idempotency_key = ?
            """,
            [.text(principal), .text(key)]
        ) {
            let status = Int($0.integer(1))
            return IdempotentAnswerRow(
                requestHash: $0.blob(0), status: status == Self.underWay ? nil : status, body: $0.text(2),
                createdAt: $0.date(3)
            )
        }
    }

    /// Keeps a place for the answer; one that is there already is overwritten.
    package func reserve(principal: String, key: String, requestHash: [UInt8], now: Date) throws {
        try connection.execute(
            """
            INSERT INTO idempotent_answers (principal, idempotency_key, request_hash, status, body, created_at)
            VALUES (?, ?, ?, ?, '', ?)
            ON CONFLICT (principal, idempotency_key) DO UPDATE SET request_hash = excluded.request_hash,
                status = excluded.status, body = excluded.body, created_at = excluded.created_at
            """,
            [.text(principal), .text(key), .blob(requestHash), .integer(Self.underWay), .date(now)]
        )
    }

    /// Puts the answer into the place that was kept at that moment, unless somebody else has it by now.
    package func fill(principal: String, key: String, reservedAt: Date, status: Int, body: String) throws {
        try connection.execute(
            """
            UPDATE idempotent_answers SET status = ?, body = ?
            WHERE principal = ? AND idempotency_key = ? AND status = ? AND created_at = ?
            """,
            [
                .integer(status), .text(body), .text(principal), .text(key), .integer(Self.underWay),
                .date(reservedAt),
            ]
        )
    }

    /// Gives the place back.
    package func release(principal: String, key: String, reservedAt: Date) throws {
        try connection.execute(
            """
            DELETE FROM idempotent_answers
            WHERE principal = ? AND idempotency_key = ? AND status = ? AND created_at = ?
            """,
            [.text(principal), .text(key), .integer(Self.underWay), .date(reservedAt)]
        )
    }
}

extension SQLConnection {
    package var idempotency: IdempotencyRepository { IdempotencyRepository(connection: self) }
}
