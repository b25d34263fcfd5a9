/// How many calls somebody is granted: so many a minute in the long run, and some at once after a rest (SEC-2).
package struct RateLimit: Hashable, Sendable {
    package let perMinute: Int
    /// Calls that may come at once.
    package let burst: Int

    /// Both are 1 at least, so that nobody is shut out for good.
    package init(perMinute: Int, burst: Int) {
        self.perMinute = max(1, perMinute)
        self.burst = max(1, burst)
    }
}
