import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// The results of a rehearsal: a sentence, the outcomes with a list of devices for each, and when and where (CON-12).
struct RehearsalFiguresModel: Sendable {
    /// The number of zones, platforms or locales in a table.
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
        /// The address of the group's devices; nil for a rehearsal by an older program version, which stored no device
        /// names. ``reachedAddress`` lists those that would get the campaign.
        let groupAddress: String?
        let reachedAddress: String?
    }

    /// A row of the table with the chart's figures.
    struct Time: Sendable {
        let timeName: String
        let timeDevices: String
        let timeAddress: String
    }

    struct Crowding: Sendable {
        let crowdedDevices: String
        let crowdedAddress: String?
    }

    struct Part: Sendable {
        let partTitle: String
        let partID: String
        let groups: [Group]
        let rest: String?
    }

    let foundSentence: String
    let warnings: [String]
    /// How many devices would have a full message center.
    let crowding: Crowding?
    let audienceBars: Bars
    let outcomes: [Outcome]
    let when: ColumnChart?
    let times: [Time]
    let parts: [Part]
    let changesTitle: String?
    let changes: [String]

    /// Returns nil while the rehearsal has no figures.
    init?(_ view: RehearsalView) {
        guard let rehearsal = view.rehearsal, let figures = rehearsal.figures else { return nil }
        let people = "\(view.page)/rehearsals/\(rehearsal.id)/people"
        let kind = view.campaign.draft.kind
        let isByOwnClock = view.campaign.draft.schedule?.localAt != nil
        foundSentence = RehearsalWords.sentence(
            figures, kind, launch: isByOwnClock ? nil : rehearsal.launchAt, zone: view.zone
        )
        warnings = figures.warnings
        crowding = Self.crowding(figures, people: people)
        audienceBars = Bars(bars: Self.bars(figures, people: people))
        outcomes = figures.outcomes.filter { $0.count > 0 }.sorted { $1.count < $0.count }.map { entry in
            Outcome(
                outcomeChip: RehearsalWords.chip(entry.outcome),
                outcomeSentence: RehearsalWords.sentence(entry.outcome, kind),
                outcomeDevices: Figures.count(entry.count, "device", "devices"),
                outcomePart: Figures.share(entry.count, of: figures.audience),
                outcomeAddress: people + RehearsedSelection(outcome: entry.outcome).query
            )
        }
        let columns = RehearsedTimes(figures, zone: view.zone)?.columns ?? []
        when = columns.isEmpty ? nil : ColumnChart(columns.map { ($0.name, $0.count) }, of: "messages")
        times = columns.filter { $0.count > 0 }.map { column in
            Time(
                timeName: column.name, timeDevices: Figures.count(column.count, "device", "devices"),
                timeAddress: people + column.selection.query
            )
        }
        parts = [
            Self.part("By platform", "platforms", .platform, figures, people),
            Self.part("By zone", "zones", .zone, figures, people),
            Self.part("By locale", "locales", .locale, figures, people),
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
            Bar(
                "Would get it", figures.reached, of: whole,
                address: people + RehearsedSelection(outcome: .accepted).query
            ),
        ]
        if whole > figures.reached {
            var others = RehearsedSelection()
            others.isReached = false
            let rest = whole - figures.reached
            bars.append(Bar("Would not", rest, of: whole, tone: "bar-warning", address: people + others.query))
        }
        if figures.placed > 0 {
            var placed = RehearsedSelection()
            placed.isPlaced = true
            let address = figures.namesTraits ? people + placed.query : nil
            bars.append(Bar("Message placed", figures.placed, of: whole, address: address))
        }
        return bars
    }

    private static func crowding(_ figures: RehearsalFigures, people: String) -> Crowding? {
        guard figures.crowded > 0 else { return nil }
        var crowded = RehearsedSelection()
        crowded.isCrowded = true
        return Crowding(
            crowdedDevices: Figures.count(figures.crowded, "device", "devices"),
            crowdedAddress: figures.namesTraits ? people + crowded.query : nil
        )
    }

    private static func part(
        _ title: String, _ id: String, _ trait: RehearsedTrait, _ figures: RehearsalFigures, _ people: String
    ) -> Part? {
        let groups = figures.groups(by: trait)
        guard groups.count > 1 || groups.first?.name != nil else { return nil }
        let left = groups.dropFirst(shownGroups)
        return Part(
            partTitle: title, partID: id,
            groups: groups.prefix(shownGroups).map {
                Group($0, by: trait, people: figures.namesTraits ? people : nil)
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

extension RehearsalFiguresModel.Group {
    /// - Parameter people: the address of the list of devices; nil where their names are not stored.
    fileprivate init(_ group: RehearsedGroup, by trait: RehearsedTrait, people: String?) {
        var selection = RehearsedSelection()
        selection.group = RehearsedSelection.Group(trait, group.name)
        var reached = selection
        reached.outcome = .accepted
        groupName = group.name ?? "Not said"
        groupDevices = Figures.count(group.audience)
        groupReached = Figures.count(group.reached)
        groupShare = Figures.share(group.reached, of: group.audience)
        groupAddress = people.map { $0 + selection.query }
        reachedAddress = group.reached > 0 ? people.map { $0 + reached.query } : nil
    }
}

/// The rehearsed outcomes beside the real ones (CON-7).
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

    init(_ comparison: RehearsalComparison, zone: AppZone) {
        let all = comparison.equal + comparison.different
        let asOf = comparison.isFinal ? nil : comparison.madeAt.map { " This was so at \(zone.text($0))." }
        let sentence =
            comparison.different == 0
            ? "All \(Figures.count(all, "device", "devices")) ended as rehearsed."
            : "\(Figures.count(comparison.equal)) of \(Figures.count(all, "device", "devices")) ended as rehearsed."
        comparedSentence = sentence + (asOf ?? "")
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
