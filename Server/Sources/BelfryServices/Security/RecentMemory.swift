/// A memory of bounded size that forgets what nobody has looked for in a while. It has two generations: what is found in
/// the former one moves into the recent one, and the rest goes with it.
///
/// A generation ends when it is full, or when eight lookups for each of its entries have found something: a device that
/// calls all the time has called by then. So the memory follows how many devices call, not how many ever did (REL-7).
struct RecentMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private static var lookupsPerEntry: Int { 8 }
    /// A generation with fewer entries lasts as long as one with so many.
    private static var smallestGeneration: Int { 256 }

    /// Half of them are sure to stay while they are used; what is not found does not count, so nobody ends a
    /// generation with texts of their own.
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
