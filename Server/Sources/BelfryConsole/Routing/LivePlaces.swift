import BelfryServices

/// How many pages are told as they change, of a person and of all (SEC-2): each asks the store again and again for as long
/// as it is open, and a person may open any number. A browser of ours opens four at a time.
final class LivePlaces: Sendable {
    static let maximumOfPerson = 20
    static let maximum = 500

    private let places = SharedPlaces<Int64>(LivePlaces.maximum, ofHolder: LivePlaces.maximumOfPerson)
    private let metrics: Metrics

    init(metrics: Metrics) {
        self.metrics = metrics
    }

    /// - Returns: gives the place back.
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
