/// Finds and removes last openings that nobody has any more: the program of schema 25 erases a device or a contact and
/// does not know its narrow row (FLEET-2).
extension HousekeepingRepository {
    /// Those among the next openings whose device or contact is gone.
    package func ownerlessOpenings(of holder: OpeningHolder, after number: Int64, limit: Int) throws -> AgedRows {
        let numbers = try connection.query(
            "SELECT \(holder.key) FROM \(holder.openings) WHERE \(holder.key) > ? ORDER BY \(holder.key) LIMIT ?",
            [.integer(number), .integer(limit)]
        ) { $0.integer(0) }
        return AgedRows(
            expired: try ownerless(numbers, holder), next: numbers.count == limit ? numbers.last : nil
        )
    }

    /// Removes them, unless somebody has the number meanwhile.
    package func deleteOwnerlessOpenings(of holder: OpeningHolder, _ numbers: [Int64]) throws {
        try connection.execute(
            "DELETE FROM \(holder.openings) WHERE \(holder.key) IN (\(connection.dialect.integers))",
            [.integers(try ownerless(numbers, holder))]
        )
    }

    /// By statements that are each led to shards by their numbers, for openings lie where their owners do.
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
