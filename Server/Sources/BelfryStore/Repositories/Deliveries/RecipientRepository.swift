import BelfryModel

/// Devices as a campaign would meet them, before it has written them into the ledger: for previews, dry runs and tests.
package struct RecipientRepository {
    let connection: any SQLConnection

    /// The next devices of an audience, in the order of their numbers.
    func next(
        in scope: AudienceScope, app: Int64, audience: SQLFragment, values: [RecipientValue], limit: Int
    ) throws -> [Recipient] {
        let source = try connection.recipientSource(of: values, app: app, hasAudience: true)
        let query: SQLFragment = """
            SELECT \(Recipient.columns(Recipient.unplanned, values: source.columns))
            FROM \(scope.source) JOIN devices d ON d.id = a.device_id \(source.joins)
            WHERE \(scope.condition) AND (\(audience)) ORDER BY a.device_id LIMIT \(bind: .integer(limit))
            """
        return try connection.query(query.sql, query.arguments) { Recipient($0, valueCount: values.count) }
    }

    /// One device, whoever's audience it is in.
    package func find(_ device: Int64, app: Int64, values: [RecipientValue]) throws -> Recipient? {
        let source = try connection.recipientSource(of: values, app: app)
        return try connection.first(
            """
            SELECT \(Recipient.columns(Recipient.unplanned, values: source.columns))
            FROM devices d \(source.joins) WHERE d.id = ?
            """,
            [.integer(device)]
        ) { Recipient($0, valueCount: values.count) }
    }
}

extension RecipientRepository {
    /// Those of these devices that are still there.
    package func find(_ devices: [Int64]) throws -> [Recipient] {
        try connection.query(
            """
            SELECT \(Recipient.columns(Recipient.unplanned, values: [])) FROM devices d
            WHERE d.id IN (\(connection.dialect.integers))
            """,
            [.integers(devices)]
        ) { Recipient($0, valueCount: 0) }
    }
}

extension SQLConnection {
    package var recipients: RecipientRepository { RecipientRepository(connection: self) }
}
