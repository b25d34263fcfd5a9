import Foundation
import Synchronization

/// A bucket for each caller, in memory, so that counting needs no query. After a restart all buckets are full.
///
/// Two generations of buckets are kept. When a generation ends, full buckets are dropped, because a new one would be
/// full as well. So the memory follows the number of current callers, not of all former ones (REL-7).
package final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Buckets {
        /// The contents of a full bucket: this process's part of the quota.
        var quota: Quota
        /// The number of equal parts.
        var parts = 1
        var recent: [Key: QuotaBucket] = [:]
        /// The buckets of the previous generation.
        var former: [Key: QuotaBucket] = [:]
        /// When the recent generation began; nil before the first call.
        var begun: Date?

        init(_ quota: Quota) {
            self.quota = quota
        }
    }

    /// How long a generation lasts, in seconds, unless it fills up earlier.
    static var generation: TimeInterval { 300 }

    /// The whole quota, however many processes share it.
    let quota: Quota
    private let maximumCount: Int
    private let buckets: Mutex<Buckets>

    /// - Parameter maximumCount: the maximum number of buckets; beyond it the least recently used are dropped, and so
    ///   are full again.
    init(_ quota: Quota, maximumCount: Int) {
        self.quota = quota
        self.maximumCount = maximumCount
        buckets = Mutex(Buckets(quota))
    }

    convenience init(_ limit: RateLimit, maximumCount: Int) {
        self.init(Quota(minute: limit), maximumCount: maximumCount)
    }

    /// Grants one of this many equal parts of the quota from now on, one part for each process (FLEET-1). Used amounts
    /// stay used. A bucket with more than its part loses the excess.
    func divide(by parts: Int) {
        buckets.withLock { buckets in
            buckets.quota = quota / parts
            buckets.parts = max(1, parts)
        }
    }

    /// Text that an error adds to the limit when the quota is divided among processes.
    var division: String {
        let parts = buckets.withLock { $0.parts }
        return parts > 1 ? " Each of the \(parts) processes that answer calls grants an equal part of it." : ""
    }

    /// Counts a call or its content.
    ///
    /// - Returns: nil if it is granted; otherwise the seconds until it would be.
    func take(_ key: Key, _ weight: Int = 1, now: Date) -> Int? {
        buckets.withLock { buckets in
            let quota = buckets.quota
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
        // If the clock was set back, the generation begins again.
        buckets.begun = min(begun, now)
        if buckets.recent.count >= most {
            buckets.former = buckets.recent
            buckets.recent = [:]
        } else if now.timeIntervalSince(begun) >= Self.generation {
            // Time alone never drops the bucket of a caller who has used up something, and makes no caller seem more
            // recent.
            let owed = buckets.former.filter { key, bucket in
                buckets.recent[key] == nil && !bucket.isFull(buckets.quota, now: now)
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

    /// Undoes the count of a granted call.
    func putBack(_ key: Key, _ weight: Int = 1) {
        buckets.withLock { buckets in
            guard var bucket = buckets.recent[key] ?? buckets.former[key] else { return }
            bucket.putBack(buckets.quota, weight)
            buckets.recent[key] = bucket
        }
    }

    /// The number of buckets.
    var count: Int {
        buckets.withLock { buckets in
            buckets.recent.count + buckets.former.keys.count(where: { buckets.recent[$0] == nil })
        }
    }
}
