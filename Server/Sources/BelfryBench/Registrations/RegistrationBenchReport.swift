/// The figures of one run of `belfry bench registration`: medians over the rounds, and the results of the part at a
/// fixed rate.
struct RegistrationBenchReport: Encodable {
    /// One measurement of the yardsticks and then of the registrations.
    struct Round {
        let healthzPerSecond: Double
        let lanePerSecond: Double?
        let registrationsPerSecond: Double
        let non2xx: Int
        /// The number of unprocessed registrations when the last was sent, and the time until all were processed.
        let backlog: Int
        let drainSeconds: Double

        var ratio: Double { registrationsPerSecond / healthzPerSecond }
        var laneRatio: Double? { lanePerSecond.map { registrationsPerSecond / $0 } }

        init(_ yardstick: Yardsticks.Round, registrations: Wrk.Result, backlog: Int, drained: Duration) {
            healthzPerSecond = yardstick.healthzPerSecond
            lanePerSecond = yardstick.lanePerSecond
            registrationsPerSecond = registrations.answeredWellPerSecond
            non2xx = yardstick.failed + registrations.failed
            self.backlog = backlog
            drainSeconds = drained.inSeconds
        }
    }

    /// The times from received to processed at a fixed rate, in milliseconds.
    struct Paced: Encodable {
        let count: Int
        let requestedPerSecond: Int
        /// The rate of arrivals by the server's clock.
        let arrivedPerSecond: Double
        let p50Milliseconds: Double
        let p99Milliseconds: Double
        let maximumMilliseconds: Double
        /// The greatest age of a pending registration that was seen in the server's database, read from outside.
        let greatestAgeMilliseconds: Int64
        /// The time from the last response until no registration was pending.
        let drainSeconds: Double
        let failed: Int

        init(
            _ entries: [RegistrationTable.Entry], requestedPerSecond: Int, failed: Int, greatestAge: Int64,
            drained: Duration
        ) {
            let received = entries.map(\.receivedAt)
            let span = Double((received.max() ?? 0) - (received.min() ?? 0)) / 1_000
            let delays = entries.map { Double(($0.processedAt ?? $0.receivedAt) - $0.receivedAt) }
            count = entries.count
            self.requestedPerSecond = requestedPerSecond
            arrivedPerSecond = span > 0 ? (Double(entries.count) / span).rounded() : 0
            p50Milliseconds = delays.quantile(0.5)
            p99Milliseconds = delays.quantile(0.99)
            maximumMilliseconds = delays.quantile(1)
            greatestAgeMilliseconds = greatestAge
            drainSeconds = drained.inSeconds.rounded(places: 2)
            self.failed = failed
        }
    }

    let healthzPerSecond: Double
    /// The rate of empty uploads on the express lane; nil when they were not measured.
    let laneRequestsPerSecond: Double?
    let registrationsPerSecond: Double
    /// The median of the rounds' own ratios to `/healthz`.
    let ratio: Double
    /// The median of the rounds' own ratios to empty uploads on the express lane.
    let laneRatio: Double?
    /// Requests with a status of 400 or more, or without a response, in both parts.
    let non2xx: Int
    let rounds: Int
    /// The number of new devices per round.
    let devices: Int
    let backlog: Double
    let drainSeconds: Double
    let paced: Paced
    let each: [Round]

    private enum CodingKeys: String, CodingKey {
        case healthzPerSecond, laneRequestsPerSecond, registrationsPerSecond, ratio, laneRatio, non2xx, rounds, devices
        case backlog, drainSeconds, paced
    }

    /// - Parameter each: the rounds, at least one.
    init(_ each: [Round], paced: Paced, devices: Int) {
        healthzPerSecond = each.map(\.healthzPerSecond).median.rounded()
        laneRequestsPerSecond = each.map(\.lanePerSecond).medianOfMeasured?.rounded()
        registrationsPerSecond = each.map(\.registrationsPerSecond).median.rounded()
        ratio = each.map(\.ratio).median.rounded(places: 3)
        laneRatio = each.map(\.laneRatio).medianOfMeasured?.rounded(places: 3)
        non2xx = each.map(\.non2xx).reduce(0, +) + paced.failed
        rounds = each.count
        self.devices = devices
        backlog = each.map { Double($0.backlog) }.median
        drainSeconds = each.map(\.drainSeconds).median.rounded(places: 2)
        self.paced = paced
        self.each = each
    }
}
