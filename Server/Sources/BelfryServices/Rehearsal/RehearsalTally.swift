import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Adds up what a rehearsal finds, in memory that does not grow with the audience.
struct RehearsalTally: Sendable {
    /// Zones, platforms and locales that are told apart: devices name them, so they are bounded.
    static let maximumNames = 600
    /// Those of each that the figures keep.
    static let shownNames = 60
    /// Hours that are told apart: forty days.
    static let maximumHours = 960
    /// The name of all others.
    static let others = "others"

    private let launch: Date
    private var numbers: [RehearsedOutcome: Int] = [:]
    private var outcomes: [(outcome: RehearsedOutcome, count: Int)] = []
    private var hours: [Int: Int] = [:]
    private var zones: [String?: RehearsedGroup] = [:]
    private var platforms: [String?: RehearsedGroup] = [:]
    private var locales: [String?: RehearsedGroup] = [:]
    private var sums = RehearsalFigures()

    init(launch: Date) {
        self.launch = launch
    }

    var audience: Int { sums.audience }

    /// Adds a page.
    ///
    /// - Parameter crowded: devices whose message center shows as many messages as it can.
    /// - Returns: what is kept of each device.
    mutating func add(_ deliveries: [RehearsedDelivery], crowded: Set<Int64> = []) -> RehearsalPage {
        RehearsalPage(
            deliveries.map { delivery in
                add(delivery)
                if delivery.hasMessage, crowded.contains(delivery.recipient.device) { sums.crowded += 1 }
                return RehearsedDevice(
                    device: delivery.recipient.device, outcome: number(of: delivery.outcome),
                    after: Int(max(delivery.at.timeIntervalSince(launch), 0))
                )
            }
        )
    }

    private mutating func add(_ delivery: RehearsedDelivery) {
        let number = number(of: delivery.outcome)
        outcomes[number].count += 1
        sums.audience += 1
        if delivery.hasMessage { sums.placed += 1 }
        let isReached = delivery.outcome == .accepted
        if isReached {
            sums.reached += 1
            sums.firstAt = min(sums.firstAt ?? delivery.at, delivery.at)
            sums.lastAt = max(sums.lastAt ?? delivery.at, delivery.at)
            let hour = Int((delivery.at.timeIntervalSince1970 / 3_600).rounded(.down))
            if hours[hour] != nil || hours.count < Self.maximumHours { hours[hour, default: 0] += 1 }
        }
        let recipient = delivery.recipient
        Self.count(recipient.timeZone, isReached, in: &zones)
        Self.count(recipient.rehearsedPlatform, isReached, in: &platforms)
        Self.count(recipient.locale, isReached, in: &locales)
    }

    private mutating func number(of outcome: RehearsedOutcome) -> Int {
        if let known = numbers[outcome] { return known }
        numbers[outcome] = outcomes.count
        outcomes.append((outcome, 0))
        return outcomes.count - 1
    }

    private static func count(_ name: String?, _ isReached: Bool, in groups: inout [String?: RehearsedGroup]) {
        let key = groups[name] != nil || groups.count < maximumNames ? name : others
        var group = groups[key] ?? RehearsedGroup(name: key)
        group.audience += 1
        if isReached { group.reached += 1 }
        groups[key] = group
    }

    /// The figures so far.
    func figures(warnings: [String]) -> RehearsalFigures {
        var figures = sums
        figures.outcomes = outcomes.map { RehearsedCount(outcome: $0.outcome, count: $0.count) }
        figures.byHour = hours.sorted { $0.key < $1.key }.map {
            RehearsalFigures.Hour(from: Date(timeIntervalSince1970: Double($0.key) * 3_600), count: $0.value)
        }
        figures.byZone = Self.sorted(zones)
        figures.byPlatform = Self.sorted(platforms)
        figures.byLocale = Self.sorted(locales)
        figures.warnings = warnings
        return figures
    }

    /// The largest, and the sum of those behind.
    private static func sorted(_ groups: [String?: RehearsedGroup]) -> [RehearsedGroup] {
        let all = groups.values.sorted { ($1.audience, $0.name ?? "") < ($0.audience, $1.name ?? "") }
        var shown = Array(all.prefix(shownNames))
        let rest = all.dropFirst(shownNames)
        guard !rest.isEmpty else { return shown }
        var sum = RehearsedGroup(name: others)
        if let index = shown.firstIndex(where: { $0.name == others }) { sum = shown.remove(at: index) }
        for group in rest {
            sum.audience += group.audience
            sum.reached += group.reached
        }
        return shown + [sum]
    }
}
