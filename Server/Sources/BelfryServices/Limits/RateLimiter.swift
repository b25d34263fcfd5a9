import Foundation
import Synchronization

/// A bucket for each who calls, in memory: to count costs no look into the database. After a restart all are full.
///
/// The buckets of two generations are kept. Of one that ends, those that are full again go, since a new one would be
/// full as well: the memory follows how many call, not how many ever did (REL-7).
package final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Buckets {
        var recent: [Key: QuotaBucket] = [:]
        /// Those of the generation before.
        var former: [Key: QuotaBucket] = [:]
        /// When the recent generation began; nil before the first call.
        var begun: Date?
    }

    /// How long a generation lasts, in seconds, if it is not full before.
    static var generation: TimeInterval { 300 }

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
            endGenerationIfOver(&buckets, now: now)
            return wait
        }
    }

    private func endGenerationIfOver(_ buckets: inout Buckets, now: Date) {
        let most = max(1, maximumCount / 2)
        let begun = buckets.begun ?? now
        // A clock that was set back begins the generation anew.
        buckets.begun = min(begun, now)
        if buckets.recent.count >= most {
            buckets.former = buckets.recent
            buckets.recent = [:]
        } else if now.timeIntervalSince(begun) >= Self.generation {
            // Time alone forgets nobody who still owes something, and makes nobody seem more recent.
            let owed = buckets.former.filter { key, bucket in
                buckets.recent[key] == nil && !bucket.isFull(quota, now: now)
            }
            if owed.count + buckets.recent.count <= most {
                buckets.former = owed.merging(buckets.recent) { _, recent in recent }
                buckets.recent = [:]
            } else {
                buckets.former = owed
            }
        } else {
            return
        }
        buckets.begun = now
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
