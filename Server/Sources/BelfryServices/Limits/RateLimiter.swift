import Foundation
import Synchronization

/// One bucket for each who calls, in memory: to count a call costs no look into the database. After a restart all are
/// full.
package final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Buckets {
        var recent: [Key: TokenBucket] = [:]
        /// Those of the generation before; whoever is not seen again goes with it.
        var former: [Key: TokenBucket] = [:]
    }

    let limit: RateLimit
    private let maximumCount: Int
    private let buckets = Mutex(Buckets())

    /// - Parameter maximumCount: of buckets; beyond them those that were used least recently are forgotten, which
    ///   makes them full again.
    init(_ limit: RateLimit, maximumCount: Int) {
        self.limit = limit
        self.maximumCount = maximumCount
    }

    /// Counts a call.
    ///
    /// - Returns: nil when it is granted; else after how many seconds the next one is.
    func take(_ key: Key, now: Date) -> Int? {
        buckets.withLock { buckets in
            var bucket = buckets.recent[key] ?? buckets.former[key] ?? TokenBucket(limit, now: now)
            let wait = bucket.take(limit, now: now)
            buckets.recent[key] = bucket
            if buckets.recent.count >= max(1, maximumCount / 2) {
                buckets.former = buckets.recent
                buckets.recent = [:]
            }
            return wait
        }
    }

    /// Undoes the count of a call that was granted.
    func putBack(_ key: Key) {
        buckets.withLock { buckets in
            guard var bucket = buckets.recent[key] ?? buckets.former[key] else { return }
            bucket.putBack(limit)
            buckets.recent[key] = bucket
        }
    }

    /// How many buckets there are.
    var count: Int {
        buckets.withLock { buckets in
            buckets.recent.count + buckets.former.keys.count(where: { buckets.recent[$0] == nil })
        }
    }
}
