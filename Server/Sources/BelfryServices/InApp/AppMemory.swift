/// A cache for several apps, limited in bytes. When it is full, the app with the most bytes loses its least recently
/// used entry. So an app that needs much takes the room from itself, not from smaller apps (SEC-8).
struct AppMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The bytes that an entry counts for besides its size.
    static var overhead: Int { 1_024 }

    private struct Entry {
        let value: Value
        let bytes: Int
        /// The number of the last use; higher is more recent.
        var used: Int
    }

    private struct Share {
        var entries: [Key: Entry] = [:]
        var bytes = 0
    }

    private let maximumBytes: Int
    private var shares: [Int64: Share] = [:]
    private var uses = 0
    private(set) var bytes = 0

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    mutating func find(_ key: Key, of app: Int64) -> Value? {
        guard let value = shares[app]?.entries[key]?.value else { return nil }
        uses += 1
        shares[app]?.entries[key]?.used = uses
        return value
    }

    /// - Parameter size: the size of the value, in bytes.
    mutating func insert(_ value: Value, for key: Key, of app: Int64, size: Int) {
        remove(key, of: app)
        uses += 1
        let counted = size + Self.overhead
        shares[app, default: Share()].entries[key] = Entry(value: value, bytes: counted, used: uses)
        shares[app]?.bytes += counted
        bytes += counted
        while bytes > maximumBytes {
            guard let largest = shares.max(by: { $0.value.bytes < $1.value.bytes }),
                let oldest = largest.value.entries.min(by: { $0.value.used < $1.value.used })
            else { return }
            remove(oldest.key, of: largest.key)
        }
    }

    mutating func remove(_ key: Key, of app: Int64) {
        guard let entry = shares[app]?.entries.removeValue(forKey: key) else { return }
        shares[app]?.bytes -= entry.bytes
        bytes -= entry.bytes
        if shares[app]?.entries.isEmpty == true { shares[app] = nil }
    }

    mutating func removeAll(of app: Int64) {
        bytes -= shares.removeValue(forKey: app)?.bytes ?? 0
    }
}
