import BelfryCommand

/// The figures of one `belfry bench intake`: medians over the rounds.
struct IngestionBenchReport: Encodable {
    /// One measurement of each of the two, one after the other.
    struct Round {
        let healthzPerSecond: Double
        let eventsPerSecond: Double
        let non2xx: Int

        var ratio: Double { eventsPerSecond / healthzPerSecond }

        init(healthz: Wrk.Result, intake: Wrk.Result, eventsPerRequest: Int) {
            healthzPerSecond = healthz.answeredWellPerSecond
            eventsPerSecond = intake.answeredWellPerSecond * Double(eventsPerRequest)
            non2xx = healthz.failed + intake.failed
        }
    }

    let healthzPerSecond: Double
    let eventsPerSecond: Double
    /// The median of the rounds' own ratios.
    let ratio: Double
    /// Requests that were answered with 400 or more, or not at all.
    let non2xx: Int
    let rounds: Int
    let eventsPerRequest: Int
    /// Whose events they are, in turn.
    let devices: Int
    private let each: [Round]

    private enum CodingKeys: String, CodingKey {
        case healthzPerSecond, eventsPerSecond, ratio, non2xx, rounds, eventsPerRequest, devices
    }

    /// - Parameter each: at least one.
    init(_ each: [Round], eventsPerRequest: Int, devices: Int) {
        healthzPerSecond = each.map(\.healthzPerSecond).median.rounded()
        eventsPerSecond = each.map(\.eventsPerSecond).median.rounded()
        ratio = each.map(\.ratio).median.rounded(places: 3)
        non2xx = each.map(\.non2xx).reduce(0, +)
        rounds = each.count
        self.eventsPerRequest = eventsPerRequest
        self.devices = devices
        self.each = each
    }

    var table: String {
        var table = TextTable("ROUND", "HEALTHZ/S", "EVENTS/S", "RATIO", "NOT 2XX")
        for (index, round) in each.enumerated() {
            table.add(
                "\(index + 1)", round.healthzPerSecond.text(), round.eventsPerSecond.text(),
                round.ratio.text(places: 3), "\(round.non2xx)"
            )
        }
        table.add("median", healthzPerSecond.text(), eventsPerSecond.text(), ratio.text(places: 3), "\(non2xx)")
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
