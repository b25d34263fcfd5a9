import BelfryModel

/// How the devices of an audience become batches.
extension BatchRepository {
    /// Divides members of an audience into those of each batch. On one server they are one batch, whose devices are a
    /// range of numbers. Where several hold the database together, a range would be on all of them, so devices of one
    /// shard are put together (FLEET-5). If shards are divided later, a batch is on several and remains correct.
    ///
    /// - Parameters:
    ///   - members: ordered by number, as are those of each part.
    ///   - size: the most members of one part; on one server the caller has no more.
    package func cut(_ members: [AudienceMember], at size: Int) throws -> [[AudienceMember]] {
        guard connection.dialect.isDistributed, !members.isEmpty else { return [members] }
        let shards = try shards(of: members.map(\.device))
        let parts = Dictionary(grouping: members) { shards[$0.device] }.values.flatMap { part in
            stride(from: 0, to: part.count, by: size).map { Array(part[$0..<min($0 + size, part.count)]) }
        }
        return parts.sorted { ($0.first?.device ?? 0) < ($1.first?.device ?? 0) }
    }

    /// How many members of an audience are cut at once: one batch on one server. Where several hold the database together
    /// they are divided among the shards, of which Citus makes 32 unless it is told otherwise, so that a batch of each is
    /// not much smaller.
    package func cutAtOnce(_ size: Int) -> Int { connection.dialect.isDistributed ? 32 * size : size }

    /// A batch of some devices, ordered by number; nil if there are none.
    package func batch(of campaign: CampaignID, _ members: [AudienceMember]) -> Batch? {
        guard let first = members.first?.device, let last = members.last?.device else { return nil }
        return Batch(
            campaign: campaign, number: first, devices: first...last,
            listed: connection.dialect.isDistributed ? members.map(\.device) : nil
        )
    }

    /// The shard of each device. The catalog knows it: no shard is asked.
    private func shards(of devices: [Int64]) throws -> [Int64: Int64] {
        let found = try connection.query(
            """
            SELECT value, get_shard_id_for_distribution_column('devices', value) FROM (\(connection.dialect.integers)) i
            """,
            [.integers(devices)]
        ) { ($0.integer(0), $0.integer(1)) }
        return Dictionary(found) { first, _ in first }
    }
}
