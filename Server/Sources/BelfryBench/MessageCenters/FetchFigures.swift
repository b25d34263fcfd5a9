import BelfryCommand

/// What ``FetchTurns`` found: medians over the rounds.
struct FetchFigures: Sendable {
    /// One measurement of each of the two, one after the other.
    struct Round: Sendable {
        let healthzPerSecond: Double
        let fetchesPerSecond: Double
        let non2xx: Int

        var ratio: Double { fetchesPerSecond / healthzPerSecond }

        init(healthz: Wrk.Result, fetches: Wrk.Result) {
            healthzPerSecond = healthz.answeredWellPerSecond
            fetchesPerSecond = fetches.answeredWellPerSecond
            non2xx = healthz.failed + fetches.failed
        }
    }

    let healthzPerSecond: Double
    let fetchesPerSecond: Double
    /// The median of the rounds' own ratios.
    let ratio: Double
    /// Requests that were answered with 400 or more, or not at all.
    let non2xx: Int
    let each: [Round]

    /// - Parameter each: at least one.
    init(_ each: [Round]) {
        healthzPerSecond = each.map(\.healthzPerSecond).median.rounded()
        fetchesPerSecond = each.map(\.fetchesPerSecond).median.rounded()
        ratio = each.map(\.ratio).median.rounded(places: 3)
        non2xx = each.map(\.non2xx).reduce(0, +)
        self.each = each
    }

    var table: String {
        var table = TextTable("ROUND", "HEALTHZ/S", "FETCHES/S", "RATIO", "NOT 2XX")
        for (index, round) in each.enumerated() {
            table.add(
                "\(index + 1)", round.healthzPerSecond.text(), round.fetchesPerSecond.text(),
                round.ratio.text(places: 3), "\(round.non2xx)"
            )
        }
        table.add("median", healthzPerSecond.text(), fetchesPerSecond.text(), ratio.text(places: 3), "\(non2xx)")
        return table.text
    }
}
