/// The figures of one run of `belfry bench in-app`: medians over the rounds.
struct InAppBenchReport: Encodable {
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
    let rounds: Int
    /// The number of devices that sync in turn.
    let devices: Int
    /// The number of active campaigns, whose messages the devices have.
    let campaigns: Int
    /// The size of one response.
    let answerBytes: Int
    /// The engine's query plan for finding out that nothing is new.
    let plan: [String]
    private let figures: FetchFigures

    private enum CodingKeys: String, CodingKey {
        case healthzPerSecond, laneRequestsPerSecond, fetchesPerSecond, ratio, laneRatio, non2xx, rounds, devices
        case campaigns, answerBytes, plan
    }

    init(_ figures: FetchFigures, devices: Int, campaigns: Int, answerBytes: Int, plan: [String]) {
        healthzPerSecond = figures.healthzPerSecond
        laneRequestsPerSecond = figures.laneRequestsPerSecond
        fetchesPerSecond = figures.fetchesPerSecond
        ratio = figures.ratio
        laneRatio = figures.laneRatio
        non2xx = figures.non2xx
        rounds = figures.each.count
        self.devices = devices
        self.campaigns = campaigns
        self.answerBytes = answerBytes
        self.plan = plan
        self.figures = figures
    }

    var table: String {
        """
        \(figures.table)

        \(devices) devices sync \(campaigns) campaigns in turn; nothing is new.
        A response has \(answerBytes) bytes. Target (PERF-7): a ratio of 0.8 or more.

        The query plan for it:
        \(plan.map { "  \($0)" }.joined(separator: "\n"))
        """
    }
}
