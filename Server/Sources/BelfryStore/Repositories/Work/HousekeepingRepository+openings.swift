/// Finds and deletes last openings without an owner: the program of schema 25 erases a device or a contact without its
/// narrow row (FLEET-2).
extension HousekeepingRepository {
    /// The numbers among the next openings whose device or contact no longer exists.
    package func ownerlessOpenings(of holder: OpeningHolder, after number: Int64, limit: Int) throws -> AgedRows<Int64>
    {
        let numbers = try connection.query(
            "SELECT \(holder.key) FROM \(holder.openings) WHERE \(holder.key) > ? ORDER BY \(holder.key) LIMIT ?",
            [.integer(number), .integer(limit)]
        ) { $0.integer(0) }
        return AgedRows(
            expired: try ownerless(numbers, holder), next: numbers.count == limit ? numbers.last : nil
        )
    }

    /// Deletes these openings, except those whose number has an owner again.
    package func deleteOwnerlessOpenings(of holder: OpeningHolder, _ numbers: [Int64]) throws {
        try connection.execute(
            "DELETE FROM \(holder.openings) WHERE \(holder.key) IN (\(connection.dialect.integers))",
            [.integers(try ownerless(numbers, holder))]
        )
    }

    /// Each statement can be routed to shards by its numbers, since openings are on the same shards as their owners.
    private func ownerless(_ numbers: [Int64], _ holder: OpeningHolder) throws -> [Int64] {
        var owners: Set<Int64> = []
        for table in holder.owners {
            let found = try connection.query(
                "SELECT id FROM \(table) WHERE id IN (\(connection.dialect.integers))", [.integers(numbers)]
            ) { $0.integer(0) }
            owners.formUnion(found)
        }
        return numbers.filter { !owners.contains($0) }
    }
}
