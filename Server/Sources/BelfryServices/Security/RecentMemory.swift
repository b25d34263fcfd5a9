/// A cache of bounded size that drops unused entries. It has two generations: an entry found in the older one moves to
/// the newer one, and the rest is dropped with the older one.
///
/// A generation ends when it is full, or after eight successful lookups for each of its entries: by then a device that
/// calls regularly has called. So the memory follows the number of current callers, not of all former ones (REL-7).
struct RecentMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private static var lookupsPerEntry: Int { 8 }
    /// A smaller generation lasts as long as one with this many entries.
    private static var smallestGeneration: Int { 256 }

    /// Half of them are guaranteed to stay while they are used. A failed lookup does not count, so nobody ends a
    /// generation with invented keys.
    private let maximumCount: Int
    private var recent: [Key: Value] = [:]
    private var former: [Key: Value] = [:]
    private var lookups = 0

    init(maximumCount: Int) {
        self.maximumCount = maximumCount
    }

    var count: Int { recent.count + former.count }

    mutating func find(_ key: Key) -> Value? {
        if let value = recent[key] {
            lookups += 1
            endGenerationIfOver()
            return value
        }
        guard let value = former.removeValue(forKey: key) else { return nil }
        insert(value, for: key)
        return value
    }

    mutating func insert(_ value: Value, for key: Key) {
        former[key] = nil
        recent[key] = value
        endGenerationIfOver()
    }

    private mutating func endGenerationIfOver() {
        let isFull = recent.count >= max(1, maximumCount / 2)
        guard isFull || lookups >= Self.lookupsPerEntry * max(recent.count, Self.smallestGeneration) else { return }
        former = recent
        recent = Dictionary(minimumCapacity: former.count)
        lookups = 0
    }
}
