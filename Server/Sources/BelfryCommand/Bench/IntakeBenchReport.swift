import Foundation

/// The figures of one `belfry bench intake`: medians over the rounds.
struct IntakeBenchReport: Encodable {
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
    private let each: [Round]

    private enum CodingKeys: String, CodingKey {
        case healthzPerSecond, eventsPerSecond, ratio, non2xx, rounds, eventsPerRequest
    }

    /// - Parameter each: at least one.
    init(_ each: [Round], eventsPerRequest: Int) {
        healthzPerSecond = Self.median(each.map(\.healthzPerSecond)).rounded()
        eventsPerSecond = Self.median(each.map(\.eventsPerSecond)).rounded()
        ratio = (Self.median(each.map(\.ratio)) * 1_000).rounded() / 1_000
        non2xx = each.map(\.non2xx).reduce(0, +)
        rounds = each.count
        self.eventsPerRequest = eventsPerRequest
        self.each = each
    }

    /// One line.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    var table: String {
        var table = TextTable("ROUND", "HEALTHZ/S", "EVENTS/S", "RATIO", "NOT 2XX")
        for (index, round) in each.enumerated() {
            table.add(
                "\(index + 1)", whole(round.healthzPerSecond), whole(round.eventsPerSecond),
                String(format: "%.3f", round.ratio), "\(round.non2xx)"
            )
        }
        table.add(
            "median", whole(healthzPerSecond), whole(eventsPerSecond), String(format: "%.3f", ratio), "\(non2xx)")
        return "\(table.text)\n\nEvents per request: \(eventsPerRequest).\(target)"
    }

    private var target: String {
        switch eventsPerRequest {
        case 1: " Target (PERF-3): a ratio of 0.6 or more."
        case 50: " Target (PERF-4): a ratio of 5 or more."
        default: ""
        }
    }

    private func whole(_ number: Double) -> String { String(format: "%.0f", number) }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        guard !sorted.isEmpty else { return 0 }
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}
