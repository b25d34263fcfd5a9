import BelfryModel

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
