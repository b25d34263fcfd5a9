import BelfryCommand

/// The figures of one run of `belfry bench intake`: medians over the rounds.
struct IngestionBenchReport: Encodable {
    /// One measurement of the yardsticks and then of the events.
    struct Round {
        let healthzPerSecond: Double
        let lanePerSecond: Double?
        let eventsPerSecond: Double
        let non2xx: Int

        var ratio: Double { eventsPerSecond / healthzPerSecond }
        var laneRatio: Double? { lanePerSecond.map { eventsPerSecond / $0 } }

        init(_ yardstick: Yardsticks.Round, intake: Wrk.Result, eventsPerRequest: Int) {
            healthzPerSecond = yardstick.healthzPerSecond
            lanePerSecond = yardstick.lanePerSecond
            eventsPerSecond = intake.answeredWellPerSecond * Double(eventsPerRequest)
            non2xx = yardstick.failed + intake.failed
        }
    }

    let healthzPerSecond: Double
    /// The rate of empty uploads on the express lane; nil when they were not measured.
    let laneRequestsPerSecond: Double?
    let eventsPerSecond: Double
    /// The median of the rounds' own ratios to `/healthz`.
    let ratio: Double
    /// The median of the rounds' own ratios to empty uploads on the express lane.
    let laneRatio: Double?
    /// Requests with a status of 400 or more, or without a response.
    let non2xx: Int
    let rounds: Int
    let eventsPerRequest: Int
    /// The number of devices that send the events in turn.
    let devices: Int
    private let each: [Round]

    private enum CodingKeys: String, CodingKey {
        case healthzPerSecond, laneRequestsPerSecond, eventsPerSecond, ratio, laneRatio, non2xx, rounds
        case eventsPerRequest, devices
    }

    /// - Parameter each: the rounds, at least one.
    init(_ each: [Round], eventsPerRequest: Int, devices: Int) {
        healthzPerSecond = each.map(\.healthzPerSecond).median.rounded()
        laneRequestsPerSecond = each.map(\.lanePerSecond).medianOfMeasured?.rounded()
        eventsPerSecond = each.map(\.eventsPerSecond).median.rounded()
        ratio = each.map(\.ratio).median.rounded(places: 3)
        laneRatio = each.map(\.laneRatio).medianOfMeasured?.rounded(places: 3)
        non2xx = each.map(\.non2xx).reduce(0, +)
        rounds = each.count
        self.eventsPerRequest = eventsPerRequest
        self.devices = devices
        self.each = each
    }

    var table: String {
        var table = TextTable("ROUND", "HEALTHZ/S", "LANE/S", "EVENTS/S", "RATIO", "LANE RATIO", "NOT 2XX")
        for (index, round) in each.enumerated() {
            table.add(
                "\(index + 1)", round.healthzPerSecond.text(), round.lanePerSecond.text(),
                round.eventsPerSecond.text(), round.ratio.text(places: 3), round.laneRatio.text(places: 3),
                "\(round.non2xx)"
            )
        }
        table.add(
            "median", healthzPerSecond.text(), laneRequestsPerSecond.text(), eventsPerSecond.text(),
            ratio.text(places: 3), laneRatio.text(places: 3), "\(non2xx)"
        )
        return "\(table.text)\n\nEvents per request: \(eventsPerRequest). Devices: \(devices).\(target)"
    }

    private var target: String {
        switch eventsPerRequest {
        case 1: " Target (PERF-3): a ratio of \(devices == 1 ? "0.7" : "0.6") or more."
        case 50 where devices > 1: " Target (PERF-4): a ratio of 6 or more."
        default: ""
        }
    }
}
