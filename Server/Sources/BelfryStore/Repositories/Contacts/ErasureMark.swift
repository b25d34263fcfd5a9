import Foundation

/// The state of an app's erasures at a moment. Data that is read then and written later may belong to a person who was
/// erased in between (REG-36).
package struct ErasureMark: Hashable, Sendable {
    /// The number of the newest receipt; 0: there is none.
    let newest: Int64
    /// Whether an erasure is under way: its next steps change nothing else in this mark.
    let isUnderWay: Bool
}

extension ErasureRepository {
    package func mark(app: Int64) throws -> ErasureMark {
        let newest = try connection.first(Self.newestSQL(connection.dialect), [.integer(app)]) { $0.integer(0) }
        let open = try connection.first(
            "SELECT 1 FROM erasures WHERE ended_at IS NULL AND app_id = ? LIMIT 1", [.integer(app)]
        ) { $0.integer(0) }
        return ErasureMark(newest: newest ?? 0, isUnderWay: open != nil)
    }

    /// Its argument is the app.
    package static func newestSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT id FROM erasures WHERE \(dialect.isArgument("app_id")) ORDER BY app_id DESC, id DESC LIMIT 1
        """
    }

    /// Whether a person may have been erased since a mark.
    package func mayHaveGoneOn(since mark: ErasureMark, app: Int64) throws -> Bool {
        let now = try self.mark(app: app)
        return now != mark || now.isUnderWay
    }

    /// The given devices that no longer exist, or have another contact.
    package func moved(_ members: [AudienceMember]) throws -> Set<Int64> {
        guard !members.isEmpty else { return [] }
        // No row has the number 0.
        let pairs = members.map { "[\($0.device),\($0.contact ?? 0)]" }.joined(separator: ",")
        let found = try connection.query(
            """
            SELECT m.low FROM (\(connection.dialect.ranges)) m LEFT JOIN devices d ON d.id = m.low
            WHERE d.id IS NULL OR coalesce(d.contact_id, 0) <> m.high
            """,
            [.text("[\(pairs)]")]
        ) { $0.integer(0) }
        return Set(found)
    }
}
