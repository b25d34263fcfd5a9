import BelfryServices

/// Limits the number of live pages, for each person and in total (SEC-2). A live page queries the store again and again
/// while it is open, and a person may open any number of them. A browser with the console's own script opens at most
/// four at a time.
final class LivePlaces: Sendable {
    static let maximumOfPerson = 20
    static let maximum = 500

    private let places = SharedPlaces<Int64>(LivePlaces.maximum, ofHolder: LivePlaces.maximumOfPerson)
    private let metrics: Metrics

    init(metrics: Metrics) {
        self.metrics = metrics
    }

    /// - Returns: a function that releases the place.
    func take(_ person: Int64) throws(ServiceError) -> @Sendable () -> Void {
        guard places.take(person) else {
            metrics.add(1, to: "belfry_requests_limited_total{limit=\"livePages\"}")
            throw .tooManyCalls(
                limit: "livePages",
                message: "A person can have at most \(Self.maximumOfPerson) live pages open, and all people together "
                    + "\(Self.maximum). Close some of them.",
                retryAfter: 10
            )
        }
        return { [places] in places.giveBack(person) }
    }
}
