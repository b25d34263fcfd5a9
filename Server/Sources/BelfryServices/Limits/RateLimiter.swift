import Foundation
import Synchronization

/// A bucket for each who calls, in memory: to count costs no look into the database. After a restart all are full.
package final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Buckets {
        var recent: [Key: QuotaBucket] = [:]
        /// Those of the generation before; whoever is not seen again goes with it.
        var former: [Key: QuotaBucket] = [:]
    }

    let quota: Quota
    private let maximumCount: Int
    private let buckets = Mutex(Buckets())

    /// - Parameter maximumCount: of buckets; beyond them those that were used least recently are forgotten, which
    ///   makes them full again.
    init(_ quota: Quota, maximumCount: Int) {
        self.quota = quota
        self.maximumCount = maximumCount
    }

    convenience init(_ limit: RateLimit, maximumCount: Int) {
        self.init(Quota(minute: limit), maximumCount: maximumCount)
    }

    /// Counts a call, or what it brings.
    ///
    /// - Returns: nil when it is granted; else after how many seconds it would be.
    func take(_ key: Key, _ weight: Int = 1, now: Date) -> Int? {
        buckets.withLock { buckets in
            var bucket = buckets.recent[key] ?? buckets.former[key] ?? QuotaBucket(quota, now: now)
            let wait = bucket.take(quota, weight, now: now)
            buckets.recent[key] = bucket
            if buckets.recent.count >= max(1, maximumCount / 2) {
                buckets.former = buckets.recent
                buckets.recent = [:]
            }
            return wait
        }
    }

    /// Undoes the count of what was granted.
    func putBack(_ key: Key, _ weight: Int = 1) {
        buckets.withLock { buckets in
            guard var bucket = buckets.recent[key] ?? buckets.former[key] else { return }
            bucket.putBack(quota, weight)
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
