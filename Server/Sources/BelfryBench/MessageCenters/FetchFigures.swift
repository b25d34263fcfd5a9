import BelfryCommand

/// The results of ``FetchTurns``: medians over the rounds.
struct FetchFigures: Sendable {
    /// One measurement of the yardsticks and then of the fetches.
    struct Round: Sendable {
        let healthzPerSecond: Double
        let lanePerSecond: Double?
        let fetchesPerSecond: Double
        let non2xx: Int

        var ratio: Double { fetchesPerSecond / healthzPerSecond }
        var laneRatio: Double? { lanePerSecond.map { fetchesPerSecond / $0 } }

        init(_ yardstick: Yardsticks.Round, fetches: Wrk.Result) {
            healthzPerSecond = yardstick.healthzPerSecond
            lanePerSecond = yardstick.lanePerSecond
            fetchesPerSecond = fetches.answeredWellPerSecond
            non2xx = yardstick.failed + fetches.failed
        }
    }

    let healthzPerSecond: Double
    /// The rate of empty uploads on the express lane; nil when they were not measured.
    let laneRequestsPerSecond: Double?
    let fetchesPerSecond: Double
    /// The median of the rounds' own ratios to `/healthz`.
    let ratio: Double
    /// The median of the rounds' own ratios to empty uploads on the express lane.
    let laneRatio: Double?
    /// Requests with a status of 400 or more, or without a response.
    let non2xx: Int
    let each: [Round]

    /// - Parameter each: the rounds, at least one.
    init(_ each: [Round]) {
        healthzPerSecond = each.map(\.healthzPerSecond).median.rounded()
        laneRequestsPerSecond = each.map(\.lanePerSecond).medianOfMeasured?.rounded()
        fetchesPerSecond = each.map(\.fetchesPerSecond).median.rounded()
        ratio = each.map(\.ratio).median.rounded(places: 3)
        laneRatio = each.map(\.laneRatio).medianOfMeasured?.rounded(places: 3)
        non2xx = each.map(\.non2xx).reduce(0, +)
        self.each = each
    }

    var table: String {
        var table = TextTable("ROUND", "HEALTHZ/S", "LANE/S", "FETCHES/S", "RATIO", "LANE RATIO", "NOT 2XX")
        for (index, round) in each.enumerated() {
            table.add(
                "\(index + 1)", round.healthzPerSecond.text(), round.lanePerSecond.text(),
                round.fetchesPerSecond.text(), round.ratio.text(places: 3), round.laneRatio.text(places: 3),
                "\(round.non2xx)"
            )
        }
        table.add(
            "median", healthzPerSecond.text(), laneRequestsPerSecond.text(), fetchesPerSecond.text(),
            ratio.text(places: 3), laneRatio.text(places: 3), "\(non2xx)"
        )
        return table.text
    }
}
