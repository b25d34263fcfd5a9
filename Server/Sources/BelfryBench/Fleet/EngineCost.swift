/// The resources that a server and its database have used so far. Nil where the system does not report them.
struct EngineCost: Hashable, Sendable {
    /// Processor time of the server, in seconds. With SQLite it includes the database.
    var serverSeconds: Double?
    /// Processor time of the database's own processes, in seconds; 0 with SQLite, which has none.
    var databaseSeconds: Double?
    /// Bytes that the processes of both have written to a disk.
    var writtenBytes: Int?
    /// Bytes of PostgreSQL's write-ahead log; nil with SQLite, where the log is not counted separately.
    var logBytes: Int?
    /// The size of the tables and indexes in bytes; with SQLite it includes the write-ahead log.
    var storedBytes: Int

    /// Processor time of server and database together, in seconds.
    var cpuSeconds: Double? {
        guard let serverSeconds, let databaseSeconds else { return nil }
        return serverSeconds + databaseSeconds
    }

    /// The difference to an earlier moment.
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
