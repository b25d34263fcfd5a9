import BelfryModel
import Foundation

/// The messages that a contact sees: the newest that are neither expired nor deleted, in the order of the table (MC-5).
extension MessageCenterMessageRepository {
    /// The key is the contact, the center, the moment and the limit.
    package static let newestQuery = query(selecting: MessageCenterMessageRow.columns)

    /// The same for many who ask at once, as ``MessageCenterOutline``: a text that is longer than ``maximumTextTogether`` is
    /// null.
    package static func outlineQuery(_ dialect: any Dialect) -> KeyedQuery {
        query(selecting: MessageCenterOutline.columns(textsUpTo: maximumTextTogether, dialect))
    }

    /// What campaigns say to all, by the campaign and the variant; null where it is longer.
    package static func contentQuery(_ dialect: any Dialect) -> KeyedQuery {
        KeyedQuery { asked in
            """
            SELECT CASE WHEN \(dialect.bytes(of: "c.body")) <= \(maximumTextTogether) THEN c.body END
            FROM center_contents c WHERE c.campaign_id = \(asked(.integer)) AND c.variant = \(asked(.text))
            """
        }
    }

    private static func query(selecting columns: SQLText) -> KeyedQuery {
        KeyedQuery { asked in
            """
            SELECT \(columns) FROM center_messages m
            WHERE m.contact_id = \(asked(.integer)) AND m.center = \(asked(.text)) AND m.state <> 'deleted'
                AND (m.expires_at IS NULL OR m.expires_at > \(asked(.integer)))
            ORDER BY m.sent_at DESC, m.campaign_id DESC LIMIT \(asked(.integer))
            """
        }
    }

    /// One query for several centers; the arguments of each follow those of the one before.
    package static func newestSQL(centers: Int) -> SQLText {
        union(of: newestQuery, centers)
    }

    /// The same without texts that are longer than ``maximumTextTogether``, which are null.
    package static func newestTogetherSQL(centers: Int, _ dialect: any Dialect) -> SQLText {
        union(of: query(selecting: MessageCenterMessageRow.columns(textsUpTo: maximumTextTogether, dialect)), centers)
    }

    private static func union(of query: KeyedQuery, _ centers: Int) -> SQLText {
        (0..<centers).map { "SELECT * FROM (\(query.rowSQL)) newest\($0)" }.joined(by: "\nUNION ALL\n")
    }

    /// The messages of one center, newest first.
    package func newest(
        contact: Int64, center: MessageCenterName, now: Date, limit: Int
    ) throws -> [MessageCenterMessageRow] {
        try connection.query(
            Self.newestQuery.rowSQL, Self.arguments(contact, center, now: now, limit: limit),
            MessageCenterMessageRow.init
        )
    }

    /// The holder and center of the wanted messages, and the moment.
    package struct Asked: Hashable, Sendable {
        let contact: Int64
        let center: MessageCenterName
        let now: Date

        package init(contact: Int64, center: MessageCenterName, now: Date) {
            self.contact = contact
            self.center = center
            self.now = now
        }
    }

    /// The longest text, in bytes, that is read together with those of other callers. Nearly all messages are far
    /// shorter, but a template may produce 64 KiB, and the messages of all callers are in memory together (SEC-2).
    package static let maximumTextTogether = 8_192
    /// The most bytes of the messages of callers with longer ones.
    package static let maximumLongTogether = 8 << 20

    /// The messages of several callers are too much for memory together. Each caller can still be served alone.
    package struct TooLongTogether: Error {}

    /// The same of several that ask, in their order. What campaigns say to all is read once for all of them, and whoever has
    /// a long message is asked for by a statement more.
    ///
    /// - Throws: ``TooLongTogether``, but never for a single caller.
    package func newest(_ asked: [Asked], limit: Int) throws -> [[MessageCenterMessageRow]] {
        guard asked.count > 1 else { return try asked.map { try newest($0, limit: limit) } }
        let found = try connection.queryEach(
            Self.outlineQuery(connection.dialect),
            asked.map { Self.arguments($0.contact, $0.center, now: $0.now, limit: limit) }
        ) { try MessageCenterOutline($0) }
        let contents = try contents(of: found)
        var room = ByteRoom(Self.maximumLongTogether)
        return try zip(asked, found).map { asked, outlines in
            let short = outlines.compactMap { $0.message(contents) }
            guard short.count < outlines.count else { return short }
            let whole = try newest(asked, limit: limit)
            guard room.take(whole.reduce(0) { $0 + $1.body.count }) else { throw TooLongTogether() }
            return whole
        }
    }

    /// What the campaigns of some messages say to all, without what is long. No more bytes than a message each may have, and
    /// most of the time far fewer.
    private func contents(
        of outlines: [[MessageCenterOutline]]
    ) throws -> [MessageCenterOutline.ContentKey: [UInt8]] {
        let keys = Array(Set(outlines.joined().compactMap { $0.content }))
        guard !keys.isEmpty else { return [:] }
        let found = try connection.queryEach(Self.contentQuery(connection.dialect), keys.map { $0.arguments }) {
            row -> [UInt8]? in
            row.isNull(0) ? nil : row.utf8(0)
        }
        var contents: [MessageCenterOutline.ContentKey: [UInt8]] = [:]
        for (key, bodies) in zip(keys, found) { contents[key] = bodies.first ?? nil }
        return contents
    }

    private func newest(_ asked: Asked, limit: Int) throws -> [MessageCenterMessageRow] {
        try newest(contact: asked.contact, center: asked.center, now: asked.now, limit: limit)
    }

    /// The newest messages of each of these centers, newest first; a center without messages is left out.
    package func newestByCenter(
        contact: Int64, in centers: [MessageCenterName], now: Date, perCenter limit: Int
    ) throws -> [MessageCenterName: [MessageCenterMessageRow]] {
        guard !centers.isEmpty else { return [:] }
        let rows = try connection.query(
            Self.newestSQL(centers: centers.count),
            centers.flatMap { Self.arguments(contact, $0, now: now, limit: limit) }, MessageCenterMessageRow.init
        )
        return Self.byCenter(rows)
    }

    /// The newest messages of each center, for a caller that is read together with others: the messages of all of them
    /// stay in memory until the last was read. Nil if a message is longer than ``maximumTextTogether``: such a caller
    /// is read alone (SEC-2).
    package func newestByCenterTogether(
        contact: Int64, in centers: [MessageCenterName], now: Date, perCenter limit: Int
    ) throws -> [MessageCenterName: [MessageCenterMessageRow]]? {
        guard !centers.isEmpty else { return [:] }
        let body = MessageCenterMessageRow.Column.body.rawValue
        let rows = try connection.query(
            Self.newestTogetherSQL(centers: centers.count, connection.dialect),
            centers.flatMap { Self.arguments(contact, $0, now: now, limit: limit) }
        ) { row -> MessageCenterMessageRow? in
            try row.isNull(body) ? nil : MessageCenterMessageRow(row)
        }
        let short = rows.compactMap(\.self)
        return short.count == rows.count ? Self.byCenter(short) : nil
    }

    /// The newest messages of each center, as far as there is room for the texts; for callers that read several
    /// contacts (SEC-2).
    package func newestByCenter(
        contact: Int64, in centers: [MessageCenterName], now: Date, perCenter limit: Int, in room: inout ByteRoom
    ) throws -> [MessageCenterName: [MessageCenterMessageRow]] {
        guard !centers.isEmpty else { return [:] }
        let rows = try connection.query(
            Self.newestSQL(centers: centers.count),
            centers.flatMap { Self.arguments(contact, $0, now: now, limit: limit) },
            texts: [MessageCenterMessageRow.Column.body.rawValue], in: &room, MessageCenterMessageRow.init
        )
        return Self.byCenter(rows)
    }

    private static func byCenter(
        _ rows: [MessageCenterMessageRow]
    ) -> [MessageCenterName: [MessageCenterMessageRow]] {
        Dictionary(grouping: rows, by: \.center).mapValues { $0.sorted(by: isNewer) }
    }

    /// The newest messages over all these centers, newest first (WIRE-13).
    package func newestOfAll(
        contact: Int64, in centers: [MessageCenterName], now: Date, limit: Int
    ) throws -> [MessageCenterMessageRow] {
        let rows = try newestByCenter(contact: contact, in: centers, now: now, perCenter: limit).values.joined()
        return Array(rows.sorted(by: Self.isNewer).prefix(limit))
    }

    private static func arguments(
        _ contact: Int64, _ center: MessageCenterName, now: Date, limit: Int
    ) -> [SQLValue] {
        [.integer(contact), .text(center.rawValue), .date(now), .integer(limit)]
    }

    private static func isNewer(_ left: MessageCenterMessageRow, _ right: MessageCenterMessageRow) -> Bool {
        (left.sentAt, left.campaign) > (right.sentAt, right.campaign)
    }
}
