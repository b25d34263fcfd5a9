import BelfryModel
import Foundation

/// The recipients of a campaign: the pending devices of its ledger, and for previews, dry runs and tests also devices
/// that are not in it.
package struct RecipientRepository {
    /// The bytes of template values after which a read stops; the other recipients come with the next page or round.
    /// Values come from devices, each may have up to 16 KiB, and a template may use many (SEC-2).
    package static let maximumValueBytes = 4 << 20

    let connection: any SQLConnection

    /// The pending recipients of a batch that are due.
    ///
    /// - Parameters:
    ///   - values: the values that the campaign's templates show.
    ///   - isUnplaced: whether to return only recipients whose message must still be placed.
    ///   - limit: the most recipients.
    ///   - maximumBytes: the most bytes of their values; the first recipient is read in any case.
    package func pending(
        of batch: Batch, app: Int64, values: [RecipientValue], dueBy now: Date, isUnplaced: Bool = false,
        limit: Int = .max, maximumBytes: Int = RecipientRepository.maximumValueBytes
    ) throws -> [Recipient] {
        let dialect = connection.dialect
        let source = try connection.recipientSource(
            of: values, app: app, where: batch.alsoHolds("a.device_id", dialect)
        )
        let (areOfBatch, areItsDevices) = (batch.holds("l.device_id", dialect), batch.alsoHolds("d.id", dialect))
        var room = ByteRoom(maximumBytes)
        return try read(
            """
            SELECT \(Recipient.columns(Recipient.planned, values: source.columns))
            FROM deliveries l JOIN devices d ON d.id = l.device_id \(source.joins.sql)
            WHERE l.campaign_id = ? AND \(areOfBatch.sql)\(areItsDevices.sql) AND l.state = 'pending'
                AND coalesce(l.retry_at, 0) <= ?\(isUnplaced ? " AND l.placed IS NULL" : "")
            ORDER BY l.device_id LIMIT ?
            """,
            source.joins.arguments + [.integer(batch.campaign.number)] + areOfBatch.arguments
                + areItsDevices.arguments + [.date(now), .integer(limit)],
            values, &room
        )
    }

    /// The recipients for whose values there is room.
    private func read(
        _ sql: SQLText, _ arguments: [SQLValue], _ values: [RecipientValue], _ room: inout ByteRoom
    ) throws -> [Recipient] {
        let count = values.count
        let found = try connection.query(sql, arguments, texts: Recipient.valuePlaces(count), in: &room) {
            Recipient($0, valueCount: count)
        }
        return try withContacts(found, values)
    }

    /// Adds the values of contacts where these are on other servers than devices (FLEET-5): they are read after the
    /// devices. They take no room, for each has a few hundred characters at most.
    private func withContacts(_ recipients: [Recipient], _ values: [RecipientValue]) throws -> [Recipient] {
        guard connection.dialect.isDistributed, values.contains(where: \.isOfContactRow) else { return recipients }
        let found = try connection.contacts.values(values, of: Set(recipients.compactMap(\.contact)))
        return recipients.map { recipient in
            guard let contact = recipient.contact, let theirs = found[contact] else { return recipient }
            return Recipient(recipient, values: zip(recipient.values, theirs).map { own, its in its ?? own })
        }
    }

    /// The pending recipients among some devices, due or not, ordered by device number.
    ///
    /// - Parameter values: the values that the campaign's templates show.
    package func pending(
        of campaign: CampaignID, among devices: [Int64], app: Int64, values: [RecipientValue]
    ) throws -> [Recipient] {
        guard !devices.isEmpty else { return [] }
        let source = try connection.recipientSource(of: values, app: app)
        let question = Self.pendingQuestion(of: campaign, among: devices, source, connection.dialect)
        let found = try connection.query(question.sql, question.arguments) {
            Recipient($0, valueCount: values.count)
        }
        return try withContacts(found, values)
    }

    static func pendingQuestion(
        of campaign: CampaignID, among devices: [Int64], _ source: RecipientSource, _ dialect: any Dialect
    ) -> SQLFragment {
        // Without bounds: very many other pending devices may lie between them.
        let areChosen = dialect.isOneOf(devices, "l.device_id", isFirst: true)
        return SQLFragment(
            """
            SELECT \(Recipient.columns(Recipient.planned, values: source.columns))
            FROM deliveries l JOIN devices d ON d.id = l.device_id \(source.joins.sql)
            WHERE l.campaign_id = ? AND \(areChosen.sql) AND l.state = 'pending'
            ORDER BY l.device_id
            """,
            source.joins.arguments + [.integer(campaign.number)] + areChosen.arguments
        )
    }

    /// The next devices of an audience, ordered by number.
    ///
    /// - Parameter room: the room for their values, in bytes.
    func next(
        in scope: AudienceScope, app: Int64, audience: SQLFragment, values: [RecipientValue], limit: Int,
        _ room: inout ByteRoom
    ) throws -> [Recipient] {
        let source = try connection.recipientSource(of: values, app: app, hasAudience: true)
        let query: SQLFragment = """
            SELECT \(Recipient.columns(Recipient.unplanned, values: source.columns))
            FROM \(scope.source) JOIN devices d ON d.id = a.device_id \(source.joins)
            WHERE \(scope.condition) AND (\(audience)) ORDER BY a.device_id LIMIT \(bind: .integer(limit))
            """
        return try read(query.sql, query.arguments, values, &room)
    }

    /// One device as a recipient, whether or not it is in an audience.
    package func find(_ device: Int64, app: Int64, values: [RecipientValue]) throws -> Recipient? {
        try find(device, values: values, in: connection.attributes.columns(app: app))
    }

    /// One device as a recipient, for callers that already have the app's columns.
    package func find(_ device: Int64, values: [RecipientValue], in columns: AudienceColumns) throws -> Recipient? {
        let source = RecipientSource(of: values, in: columns, joinsContacts: !connection.dialect.isDistributed)
        let found = try connection.query(
            """
            SELECT \(Recipient.columns(Recipient.unplanned, values: source.columns))
            FROM devices d \(source.joins.sql) WHERE d.id = ?
            """,
            source.joins.arguments + [.integer(device)]
        ) { Recipient($0, valueCount: values.count) }
        return try withContacts(found, values).first
    }

    /// The given devices that still exist.
    package func find(_ devices: [Int64]) throws -> [Recipient] {
        let areThese = connection.dialect.isAmong(devices, "d.id")
        return try connection.query(
            """
            SELECT \(Recipient.columns(Recipient.unplanned, values: [])) FROM devices d
            WHERE \(areThese.sql)
            """,
            areThese.arguments
        ) { Recipient($0, valueCount: 0) }
    }
}

extension SQLConnection {
    package var recipients: RecipientRepository { RecipientRepository(connection: self) }
}
