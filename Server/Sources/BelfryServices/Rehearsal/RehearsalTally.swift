import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Sums the results of a rehearsal, in memory that does not grow with the audience.
struct RehearsalTally: Sendable {
    /// The most zones, platforms and locales that are counted separately: devices report them, so their number is
    /// bounded.
    static let maximumNames = 600
    /// The most of each that the figures keep.
    static let shownNames = 60
    /// The most hours that are counted separately: forty days.
    static let maximumHours = 960

    private let launch: Date
    private var numbers: [RehearsedOutcome: Int] = [:]
    private var outcomes: [(outcome: RehearsedOutcome, count: Int)] = []
    private var hours: [Int: Int] = [:]
    /// The number of messages that would be sent in other hours.
    private var untimed = 0
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
    /// - Parameter crowded: devices whose message center shows the maximum number of messages.
    /// - Returns: the part of each device's result that is stored.
    mutating func add(_ deliveries: [RehearsedDelivery], crowded: Set<Int64> = []) -> RehearsalPage {
        RehearsalPage(
            deliveries.map { delivery in
                var marks: RehearsedMarks = []
                if delivery.hasMessage { marks.insert(.placed) }
                if delivery.hasMessage, crowded.contains(delivery.recipient.device) { marks.insert(.crowded) }
                return add(delivery, marks)
            }
        )
    }

    private mutating func add(_ delivery: RehearsedDelivery, _ marks: RehearsedMarks) -> RehearsedDevice {
        let recipient = delivery.recipient
        let number = number(of: delivery.outcome)
        let after = Int(max(delivery.at.timeIntervalSince(launch), 0))
        outcomes[number].count += 1
        sums.audience += 1
        if marks.contains(.placed) { sums.placed += 1 }
        if marks.contains(.crowded) { sums.crowded += 1 }
        let isReached = delivery.outcome == .accepted
        if isReached { reach(delivery.at, after: after) }
        return RehearsedDevice(
            device: recipient.device, outcome: number, after: after,
            traits: RehearsedTraits(
                zone: Self.count(recipient.timeZone, isReached, in: &zones),
                platform: Self.count(recipient.rehearsedPlatform, isReached, in: &platforms),
                locale: Self.count(recipient.locale, isReached, in: &locales), marks: marks
            )
        )
    }

    private mutating func reach(_ date: Date, after seconds: Int) {
        sums.reached += 1
        sums.firstAt = min(sums.firstAt ?? date, date)
        sums.lastAt = max(sums.lastAt ?? date, date)
        // By the second that is stored for the device, so that an hour's count equals the devices that a search finds
        // in it.
        let hour = Int((launch.addingTimeInterval(Double(seconds)).timeIntervalSince1970 / 3_600).rounded(.down))
        guard hours[hour] != nil || hours.count < Self.maximumHours else {
            untimed += 1
            return
        }
        hours[hour, default: 0] += 1
    }

    private mutating func number(of outcome: RehearsedOutcome) -> Int {
        if let known = numbers[outcome] { return known }
        numbers[outcome] = outcomes.count
        outcomes.append((outcome, 0))
        return outcomes.count - 1
    }

    /// - Returns: the index by which the device refers to its group.
    private static func count(
        _ name: String?, _ isReached: Bool, in groups: inout [String?: RehearsedGroup]
    ) -> Int {
        let key = groups[name] != nil || groups.count < maximumNames ? name : RehearsedGroup.others
        let place = groups[key]?.place ?? groups.count
        var group = groups[key] ?? RehearsedGroup(name: key, place: place)
        group.audience += 1
        if isReached { group.reached += 1 }
        groups[key] = group
        return place
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
        figures.warnings = warnings + lacks
        return figures
    }

    /// Sentences about what the figures leave out.
    private var lacks: [String] {
        guard untimed > 0 else { return [] }
        let messages = untimed == 1 ? "1 message" : "\(untimed) messages"
        return [
            "The figures by hour lack \(messages): they cover \(Self.maximumHours) hours, and the campaign would take "
                + "more."
        ]
    }

    /// The largest groups, and the sum of the others.
    private static func sorted(_ groups: [String?: RehearsedGroup]) -> [RehearsedGroup] {
        let all = groups.values.sorted { ($1.audience, $0.name ?? "") < ($0.audience, $1.name ?? "") }
        var shown = Array(all.prefix(shownNames))
        let rest = all.dropFirst(shownNames)
        guard !rest.isEmpty else { return shown }
        var sum = RehearsedGroup(name: RehearsedGroup.others)
        if let index = shown.firstIndex(where: { $0.name == RehearsedGroup.others }) { sum = shown.remove(at: index) }
        sum.place = nil
        for group in rest {
            sum.audience += group.audience
            sum.reached += group.reached
        }
        return shown + [sum]
    }
}
