import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// What a rehearsal has found: a sentence, its outcomes with the people behind each, and when and where (CON-12).
struct RehearsalFiguresModel: Sendable {
    /// Hours that are drawn one by one; more are drawn by day.
    private static let drawnHours = 72
    /// Zones, platforms and locales in a table.
    private static let shownGroups = 12

    struct Outcome: Sendable {
        let outcomeChip: StatusChip
        let outcomeSentence: String
        let outcomeDevices: String
        let outcomePart: String
        let outcomeAddress: String
    }

    struct Group: Sendable {
        let groupName: String
        let groupDevices: String
        let groupReached: String
        let groupShare: String
    }

    struct Part: Sendable {
        let partTitle: String
        let partID: String
        let groups: [Group]
        let rest: String?
    }

    let foundSentence: String
    let warnings: [String]
    let audienceBars: CampaignFunnel.Bars
    let outcomes: [Outcome]
    let when: ColumnChart?
    let parts: [Part]
    let changesTitle: String?
    let changes: [String]

    /// Nil before there are figures.
    init?(_ view: RehearsalView) {
        guard let rehearsal = view.rehearsal, let figures = rehearsal.figures else { return nil }
        let people = "\(view.page)/rehearsals/\(rehearsal.id)/people"
        let kind = view.campaign.draft.kind
        foundSentence = RehearsalWords.sentence(figures, kind, launch: rehearsal.launchAt, zone: view.zone)
        warnings = figures.warnings + RehearsalWords.crowded(figures)
        audienceBars = CampaignFunnel.Bars(bars: Self.bars(figures, people: people))
        outcomes = figures.outcomes.filter { $0.count > 0 }.sorted { $1.count < $0.count }.map { entry in
            Outcome(
                outcomeChip: RehearsalWords.chip(entry.outcome),
                outcomeSentence: RehearsalWords.sentence(entry.outcome, kind),
                outcomeDevices: Figures.count(entry.count, "device", "devices"),
                outcomePart: Figures.share(entry.count, of: figures.audience),
                outcomeAddress: people + RehearsalWords.query(entry.outcome)
            )
        }
        when = Self.chart(figures, zone: view.zone)
        parts = [
            Self.part("By platform", "platforms", figures.byPlatform), Self.part("By zone", "zones", figures.byZone),
            Self.part("By locale", "locales", figures.byLocale),
        ].compactMap(\.self)
        let changed = Self.changes(view, figures, kind)
        changes = changed
        changesTitle = view.former.map {
            changed.isEmpty
                ? "Nothing has changed since the rehearsal of \(view.zone.text($0.requestedAt))."
                : "Since the rehearsal of \(view.zone.text($0.requestedAt))"
        }
    }

    private static func bars(_ figures: RehearsalFigures, people: String) -> [Bar] {
        let whole = figures.audience
        var bars = [
            Bar("Audience", whole, of: whole, address: people),
            Bar("Would get it", figures.reached, of: whole, address: people + RehearsalWords.query(.accepted)),
        ]
        if whole > figures.reached {
            bars.append(Bar("Would not", whole - figures.reached, of: whole, tone: "bar-warning"))
        }
        if figures.placed > 0 { bars.append(Bar("Message placed", figures.placed, of: whole)) }
        return bars
    }

    private static func chart(_ figures: RehearsalFigures, zone: AppZone) -> ColumnChart? {
        guard let first = figures.byHour.first?.from, let last = figures.byHour.last?.from, first < last else {
            return nil
        }
        let counts = Dictionary(figures.byHour.map { ($0.from, $0.count) }, uniquingKeysWith: +)
        let hours = Int(last.timeIntervalSince(first) / 3_600) + 1
        guard hours <= drawnHours else { return days(figures, zone: zone) }
        let values = (0..<hours).map { index -> (name: String, count: Int) in
            let hour = first.addingTimeInterval(Double(index) * 3_600)
            return (HourWords.short(hour, in: zone), counts[hour] ?? 0)
        }
        return ColumnChart(values, of: "messages")
    }

    private static func days(_ figures: RehearsalFigures, zone: AppZone) -> ColumnChart {
        var values: [(name: String, count: Int)] = []
        for hour in figures.byHour {
            let day = DayWords.short(CalendarDay(hour.from, in: zone.zone))
            if values.last?.name == day {
                values[values.count - 1].count += hour.count
            } else {
                values.append((day, hour.count))
            }
        }
        return ColumnChart(values, of: "messages")
    }

    private static func part(_ title: String, _ id: String, _ groups: [RehearsedGroup]) -> Part? {
        guard groups.count > 1 || groups.first?.name != nil else { return nil }
        let left = groups.dropFirst(shownGroups)
        return Part(
            partTitle: title, partID: id,
            groups: groups.prefix(shownGroups).map {
                Group(
                    groupName: $0.name ?? "Not said", groupDevices: Figures.count($0.audience),
                    groupReached: Figures.count($0.reached), groupShare: Figures.share($0.reached, of: $0.audience)
                )
            },
            rest: left.isEmpty
                ? nil
                : "And \(Figures.count(left.count, "other", "others")) with "
                    + "\(Figures.count(left.map(\.audience).reduce(0, +), "device", "devices"))."
        )
    }

    private static func changes(
        _ view: RehearsalView, _ figures: RehearsalFigures, _ kind: CampaignKind
    ) -> [String] {
        guard let former = view.former?.figures else { return [] }
        return RehearsalChange.all(from: former, to: figures).map { change in
            let difference = change.now - change.before
            let devices = Figures.count(abs(difference), "device", "devices")
            return "\(devices) \(difference > 0 ? "more" : "fewer"): "
                + RehearsalWords.sentence(change.outcome, kind)
        }
    }
}

/// As rehearsed beside as it came (CON-7).
struct RehearsalComparisonModel: Sendable {
    struct Row: Sendable {
        let rowChip: StatusChip
        let rowReason: String
        let rowRehearsed: String
        let rowCame: String
    }

    struct Cause: Sendable {
        let causeSentence: String
        let causeDevices: String
        let causeNames: String?
    }

    let comparedSentence: String
    let rows: [Row]
    let causes: [Cause]
    let hasCauses: Bool

    init(_ comparison: RehearsalComparison, page: String) {
        let all = comparison.equal + comparison.different
        comparedSentence =
            comparison.different == 0
            ? "All \(Figures.count(all, "device", "devices")) ended as rehearsed."
            : "\(Figures.count(comparison.equal)) of \(Figures.count(all, "device", "devices")) ended as rehearsed."
        rows = comparison.lines.map { line in
            Row(
                rowChip: RehearsalWords.chip(line.outcome), rowReason: line.outcome.reason?.rawValue ?? "",
                rowRehearsed: Figures.count(line.rehearsed), rowCame: Figures.count(line.came)
            )
        }
        causes = comparison.differences.map { difference in
            Cause(
                causeSentence: RehearsalWords.sentence(difference),
                causeDevices: Figures.count(difference.count, "device", "devices"),
                causeNames: difference.devices.isEmpty ? nil : difference.devices.joined(separator: ", ")
            )
        }
        hasCauses = !causes.isEmpty
    }
}
