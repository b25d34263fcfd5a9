import BelfryModel

/// The figures of one `belfry bench message-center`: medians over the rounds.
struct MessageCenterBenchReport: Encodable {
    let healthzPerSecond: Double
    /// Bare answers of the express lane; nil where they were not measured.
    let laneRequestsPerSecond: Double?
    let fetchesPerSecond: Double
    /// The median of the rounds' own ratios to `/healthz`.
    let ratio: Double
    /// The same to the lane's bare answers.
    let laneRatio: Double?
    /// Requests that were answered with 400 or more, or not at all.
    let non2xx: Int
    let rounds: Int
    /// `primary`: one center; `all`: all of them at once.
    let fetch: BenchFetch
    let messages: Int
    let contacts: Int
    let centers: Int
    /// Who fetches, in turn.
    let devices: Int
    /// Of one answer.
    let messagesPerAnswer: Int
    let answerBytes: Int
    /// How the engine finds the messages of one center.
    let plan: [String]
    /// Of the server's database.
    let fileBytes: Int
    /// What it took to write it.
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
