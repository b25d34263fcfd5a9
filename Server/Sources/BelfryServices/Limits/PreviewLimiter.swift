/// Limits how many operations of one kind run at once (SEC-2): previews, dry runs, counts of audiences, searches of people
/// by an attribute and comparisons of versions and rehearsals, each of which reads many rows or takes long, holds its
/// result in memory, and may be called by every key that may read; and test sends, which wait for push services.
package final class PreviewLimiter: Sendable {
    /// Simultaneous operations of all callers together.
    package static let maximum = 8
    /// Simultaneous operations of one admin key.
    package static let maximumOfKey = 4
    /// Seconds after which a rejected caller may try again.
    private static let wait = 1

    private let places = SharedPlaces<String>(PreviewLimiter.maximum, ofHolder: PreviewLimiter.maximumOfKey)
    private let what: String
    private let metrics: Metrics

    /// - Parameter what: the kind of operation, in words for the error.
    package init(of what: String, metrics: Metrics) {
        self.what = what
        self.metrics = metrics
    }

    /// Runs an operation, unless too many are running.
    package func pass<Output>(
        _ principal: AdminPrincipal, _ make: () async throws -> Output
    ) async throws -> Output {
        let key = principal.name
        guard places.take(key) else {
            metrics.add(1, to: "belfry_requests_limited_total{limit=\"trials\"}")
            throw ServiceError.tooManyCalls(
                limit: "trials",
                message: "An admin key may run \(Self.maximumOfKey) \(what) at the same time, and all keys together "
                    + "\(Self.maximum). Try again in \(Self.wait) s.",
                retryAfter: Self.wait
            )
        }
        defer { places.giveBack(key) }
        return try await make()
    }
}
