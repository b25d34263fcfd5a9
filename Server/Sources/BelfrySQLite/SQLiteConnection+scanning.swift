import BelfryStore

extension SQLiteConnection {
    /// Bytes of the file that are read as memory. Page by page, each a call of the system, a walk over a large table
    /// takes almost twice as long.
    private static let mappedBytes = 512 << 20

    /// Only for so long: what is mapped counts as the process's memory, and the rest of the work reads little.
    func scanning<Output>(_ body: () throws -> Output) throws -> Output {
        _ = try query("PRAGMA mmap_size = \(Self.mappedBytes)", []) { $0.integer(0) }
        defer { _ = try? query("PRAGMA mmap_size = 0", []) { $0.integer(0) } }
        return try body()
    }
}
