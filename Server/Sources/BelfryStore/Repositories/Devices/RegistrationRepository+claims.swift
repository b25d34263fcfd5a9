/// A process claims waiting registrations: they are locked until its transaction ends, and no other process gets them
/// meanwhile.
extension RegistrationRepository {
    /// The oldest waiting registrations, up to a number.
    ///
    /// - Parameter set: registrations to leave out, because they are processed one by one.
    package func claimWaiting(
        through last: Int64 = .max, limit: Int, except set: [Int64] = []
    ) throws -> [RegistrationRow] {
        let (without, numbers) = without(set)
        let arguments: [SQLValue] = [.integer(last)] + numbers + [.integer(limit)]
        guard !connection.dialect.isDistributed else {
            let page = try connection.query(
                """
                SELECT device_id, id FROM registrations
                WHERE status = 'received' AND id <= ?\(without) ORDER BY id LIMIT ?
                """,
                arguments
            ) { RegistrationKey(device: $0.integer(0), id: $0.integer(1)) }
            return try claimEach(page)
        }
        return try connection.query(
            """
            SELECT \(RegistrationRow.columns) FROM registrations
            WHERE status = 'received' AND id <= ?\(without) ORDER BY id LIMIT ? \(connection.dialect.skipLocked)
            """,
            arguments, RegistrationRow.init
        )
    }

    /// Those of a page of waiting registrations that still wait, the oldest first.
    ///
    /// - Parameter set: the registrations that the page leaves out.
    package func claimWaiting(_ page: [RegistrationKey], except set: [Int64]) throws -> [RegistrationRow] {
        guard !connection.dialect.isDistributed else { return try claimEach(page) }
        guard let last = page.last?.id else { return [] }
        return try claimWaiting(through: last, limit: page.count, except: set)
    }

    /// This registration, if it still waits.
    package func claimWaiting(_ key: RegistrationKey) throws -> RegistrationRow? {
        let statement = claim(key)
        return try connection.first(statement.sql, statement.arguments, RegistrationRow.init)
    }

    /// Claims each by its device, all at once: several servers lock no rows for a statement that does not say on which
    /// of them they are (FLEET-5). So the transaction touches only the servers of these devices.
    ///
    /// If another process has one, the later ones of its device are left out as well, so that they are not applied
    /// before it (REG-21).
    private func claimEach(_ page: [RegistrationKey]) throws -> [RegistrationRow] {
        let found = try connection.queryTogether(page.map { claim($0) }) { try RegistrationRow($0) }
        var held: Set<Int64> = []
        return zip(page, found).compactMap { key, rows in
            guard let row = rows.first, !held.contains(key.device) else {
                held.insert(key.device)
                return nil
            }
            return row
        }
    }

    private func claim(_ key: RegistrationKey) -> SQLFragment {
        SQLFragment(
            """
            SELECT \(RegistrationRow.columns) FROM registrations
            WHERE \(RegistrationKey.condition) AND status = 'received' \(connection.dialect.skipLocked)
            """,
            key.arguments
        )
    }
}
