import BelfryModel
import BelfryServerModel
import BelfryServices

/// The first page of an app (CON-4).
struct HomeModel: Sendable {
    static let days = 30
    static let listed = 8

    /// A figure over the last days.
    struct Figure: Sendable {
        let figure: String
        let figureName: String
    }

    /// A day in the table behind the charts.
    struct Day: Sendable {
        let dayName: String
        let sent: String
        let shown: String
        let opened: String
        let optedIn: String
    }

    let campaigns: [CampaignLine]
    /// Whether the app has no campaigns yet.
    let isNew: Bool
    let mayCompose: Bool
    let newAddress: String
    let matters: [Attention]
    let hasMatters: Bool
    let figures: [Figure]
    let sends: ColumnChart?
    let trend: LineChart?
    let trendSentence: String
    let dayLines: [Day]
    let zoneName: String
    let neighbours: [SignInInvitation.Neighbour]
    let hasNeighbours: Bool

    /// - Parameters:
    ///   - base: the address of the app.
    ///   - neighbours: the other pages of a demonstration; empty on any other server.
    init(
        _ overview: AppOverview, zone: AppZone, base: String, may rights: Set<UserRight>,
        beside neighbours: [SignInInvitation.Neighbour]
    ) {
        let days = overview.statistics.days
        campaigns = overview.campaigns.map { CampaignLine($0, base: "\(base)/campaigns") }
        isNew = campaigns.isEmpty
        mayCompose = rights.contains(.compose)
        newAddress = "\(base)/campaigns/new"
        matters = Attention.all(overview, zone: zone, base: base, mayAdminister: rights.contains(.administer))
        hasMatters = !matters.isEmpty
        figures = Self.figures(days)
        let wasSent = days.contains { $0.accepted > 0 }
        sends = wasSent ? ColumnChart(days.map { (DayWords.short($0.day), $0.accepted) }, of: "messages accepted") : nil
        let counted = days.filter { $0.optedIn != nil }
        trendSentence = Self.trend(counted)
        trend =
            counted.count > 1
            ? LineChart(days.map { (DayWords.short($0.day), $0.optedIn) }, summary: trendSentence) : nil
        dayLines = days.reversed().map { day in
            Day(
                dayName: DayWords.long(day.day), sent: Figures.count(day.accepted), shown: Figures.count(day.displayed),
                opened: Figures.count(day.opened), optedIn: day.optedIn.map { Figures.count($0) } ?? "–"
            )
        }
        zoneName = zone.name
        self.neighbours = neighbours
        hasNeighbours = !neighbours.isEmpty
    }

    private static func figures(_ days: [DayStatistics]) -> [Figure] {
        let last = days.last { $0.devices != nil }
        let accepted = days.map(\.accepted).reduce(0, +)
        let opened = days.map(\.opened).reduce(0, +)
        return [
            Figure(figure: Figures.count(accepted), figureName: "messages accepted in \(days.count) days"),
            Figure(
                figure: accepted > 0 ? Figures.share(min(opened, accepted), of: accepted) : "–",
                figureName: "of them were opened"
            ),
            Figure(figure: last?.optedIn.map { Figures.count($0) } ?? "–", figureName: "devices may get pushes"),
            Figure(
                figure: last.map { Figures.share($0.optedIn ?? 0, of: $0.devices ?? 0) } ?? "–",
                figureName: "of all devices"
            ),
        ]
    }

    private static func trend(_ counted: [DayStatistics]) -> String {
        guard let first = counted.first, let last = counted.last, let before = first.optedIn, let now = last.optedIn
        else { return "The devices that may get pushes are counted regularly. The first count follows in a moment." }
        let devices = Figures.count(now, "device", "devices")
        guard counted.count > 1 else {
            return "\(devices) may get pushes. The line begins when a second day has been counted."
        }
        let change = now - before
        let words =
            change == 0
            ? "as many as" : "\(Figures.count(abs(change))) \(change > 0 ? "more" : "fewer") than"
        return "\(devices) may get pushes, \(words) on \(DayWords.short(first.day))."
    }
}
