/// What a server and its database have cost so far. Nil where the system does not tell.
struct EngineCost: Hashable, Sendable {
    /// Of the server's processors; with SQLite the database is a part of it.
    var serverSeconds: Double?
    /// Of those of the database's own processes; 0 with SQLite, which has none.
    var databaseSeconds: Double?
    /// Bytes that the processes of both have given to a disk.
    var writtenBytes: Int?
    /// Bytes of PostgreSQL's log of writes; with SQLite it is not told apart.
    var logBytes: Int?
    /// What the tables and indexes take, and with SQLite the log of writes.
    var storedBytes: Int

    /// Of both.
    var cpuSeconds: Double? {
        guard let serverSeconds, let databaseSeconds else { return nil }
        return serverSeconds + databaseSeconds
    }

    /// What came after an earlier moment.
    func since(_ earlier: EngineCost) -> EngineCost {
        EngineCost(
            serverSeconds: Self.difference(serverSeconds, earlier.serverSeconds),
            databaseSeconds: Self.difference(databaseSeconds, earlier.databaseSeconds),
            writtenBytes: Self.difference(writtenBytes, earlier.writtenBytes),
            logBytes: Self.difference(logBytes, earlier.logBytes), storedBytes: storedBytes - earlier.storedBytes
        )
    }

    private static func difference<Value: Numeric>(_ later: Value?, _ earlier: Value?) -> Value? {
        guard let later, let earlier else { return nil }
        return later - earlier
    }
}
