import BelfryModel

/// The figures of one `belfry bench message-center`: medians over the rounds.
struct CenterBenchReport: Encodable {
    /// One measurement of each of the two, one after the other.
    struct Round {
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
    let rounds: Int
    /// `primary`: one centre; `all`: all of them at once.
    let fetch: BenchFetch
    let messages: Int
    let contacts: Int
    let centers: Int
    /// Who fetches, in turn.
    let devices: Int
    /// Of one answer.
    let messagesPerAnswer: Int
    let answerBytes: Int
    /// How SQLite finds the messages of one centre.
    let plan: [String]
    /// Of the server's database.
    let fileBytes: Int
    /// What it took to write it.
    var fillingSeconds = 0.0
    private let each: [Round]

    private enum CodingKeys: String, CodingKey {
        case healthzPerSecond, fetchesPerSecond, ratio, non2xx, rounds, fetch, messages, contacts, centers, devices
        case messagesPerAnswer, answerBytes, plan, fileBytes, fillingSeconds
    }

    /// - Parameter each: at least one.
    init(
        _ each: [Round], shape: CenterBench.Shape, fetch: BenchFetch, answerBytes: Int, plan: [String], fileBytes: Int
    ) {
        healthzPerSecond = each.map(\.healthzPerSecond).median.rounded()
        fetchesPerSecond = each.map(\.fetchesPerSecond).median.rounded()
        ratio = each.map(\.ratio).median.rounded(places: 3)
        non2xx = each.map(\.non2xx).reduce(0, +)
        rounds = each.count
        self.fetch = fetch
        contacts = shape.contacts
        messages = shape.contacts * shape.perContact
        centers = shape.centers
        devices = shape.devices
        messagesPerAnswer = fetch == .all ? shape.perContact : MessageCenterLimits.messagesPerCenter
        self.answerBytes = answerBytes
        self.plan = plan
        self.fileBytes = fileBytes
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
        return """
            \(table.text)

            \(messages) messages of \(contacts) contacts in \(centers) centers; \(devices) devices fetch in turn.
            An answer has \(messagesPerAnswer) messages, \(answerBytes) bytes.\(target)

            One center by SQLite:
            \(plan.map { "  \($0)" }.joined(separator: "\n"))
            """
    }

    private var target: String {
        fetch == .primary ? " Target (PERF-7): a ratio of 0.5 or more." : ""
    }
}
