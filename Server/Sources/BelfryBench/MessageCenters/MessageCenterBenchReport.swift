import BelfryModel

/// The figures of one run of `belfry bench message-center`: medians over the rounds.
struct MessageCenterBenchReport: Encodable {
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
    /// `primary`: one message center; `all`: all of them in one call.
    let fetch: BenchFetch
    let messages: Int
    let contacts: Int
    let centers: Int
    /// The number of devices that fetch in turn.
    let devices: Int
    /// The number of messages in one response.
    let messagesPerAnswer: Int
    let answerBytes: Int
    /// The engine's query plan for the messages of one message center.
    let plan: [String]
    /// The size of the server's database in bytes.
    let fileBytes: Int
    /// The time to write the database, in seconds.
    var fillingSeconds = 0.0
    private let figures: FetchFigures

    private enum CodingKeys: String, CodingKey {
        case healthzPerSecond, laneRequestsPerSecond, fetchesPerSecond, ratio, laneRatio, non2xx, rounds, fetch,
            messages
        case contacts, centers, devices
        case messagesPerAnswer, answerBytes, plan, fileBytes, fillingSeconds
    }

    init(
        _ figures: FetchFigures, shape: MessageCenterShape, fetch: BenchFetch, answerBytes: Int, plan: [String],
        fileBytes: Int
    ) {
        healthzPerSecond = figures.healthzPerSecond
        laneRequestsPerSecond = figures.laneRequestsPerSecond
        fetchesPerSecond = figures.fetchesPerSecond
        ratio = figures.ratio
        laneRatio = figures.laneRatio
        non2xx = figures.non2xx
        rounds = figures.each.count
        self.fetch = fetch
        contacts = shape.contacts
        messages = shape.contacts * shape.perContact
        centers = shape.centers
        devices = shape.devices
        messagesPerAnswer = fetch == .all ? shape.perContact : MessageCenterLimits.messagesPerCenter
        self.answerBytes = answerBytes
        self.plan = plan
        self.fileBytes = fileBytes
        self.figures = figures
    }

    var table: String {
        """
        \(figures.table)

        \(messages) messages of \(contacts) contacts in \(centers) message centers; \(devices) devices fetch in turn.
        A response has \(messagesPerAnswer) messages, \(answerBytes) bytes.\(target)

        The query plan for one message center:
        \(plan.map { "  \($0)" }.joined(separator: "\n"))
        """
    }

    private var target: String {
        fetch == .primary ? " Target (PERF-7): a ratio of 0.5 or more." : ""
    }
}
