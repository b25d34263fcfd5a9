import BelfryModel
import BelfryServerModel
import BelfryServices

/// The rehearsal that belongs to a launched campaign.
struct RehearsedLaunch: Hashable, Sendable {
    /// The newest rehearsal of the launched version; nil when none is kept.
    let rehearsal: Rehearsal?
    /// Whether only another version was rehearsed, before the draft was changed.
    let isOfOther: Bool

    /// - Parameters:
    ///   - all: the campaign's rehearsals, the newest first.
    ///   - version: the launched version.
    init(_ all: [Rehearsal], of version: String) {
        let done = all.filter { $0.status == .done && $0.figures != nil }
        rehearsal = done.first { $0.version.utf8.elementsEqual(version.utf8) }
        isOfOther = rehearsal == nil && !done.isEmpty
    }
}

/// The rehearsed figures beside the real ones on a campaign's page. Both are stored already, so this costs little. The
/// rehearsal's own page compares device by device (CON-7, CON-13).
struct LaunchComparisonModel: Sendable {
    struct Row: Sendable {
        let besideWords: String
        let besideChip: StatusChip?
        let besideRehearsed: String
        let besideCame: String
    }

    let besideSentence: String
    /// The sentence that says why there is nothing to compare.
    let besideEmpty: String?
    let rehearsalPage: String
    /// The text of the link to the rehearsal; nil: there is none.
    let rehearsalTitle: String?
    let besideRows: [Row]
    let besideReasons: [Row]
    let hasBesideReasons: Bool

    /// Returns nil before the launch.
    ///
    /// - Parameter page: the address of the campaign.
    init?(_ launch: RehearsedLaunch?, _ standing: CampaignStanding, page: String, zone: AppZone) {
        guard let launch else { return nil }
        guard let rehearsal = launch.rehearsal, let figures = rehearsal.figures else {
            besideSentence = ""
            besideEmpty =
                launch.isOfOther
                ? "The draft was changed after its rehearsal, and the launched version was not rehearsed."
                : "It was launched without a rehearsal. Rehearse the next one first: then this page shows the forecast beside the result."
            rehearsalPage = "\(page)/rehearsals"
            rehearsalTitle = launch.isOfOther ? "Open the rehearsal" : nil
            besideRows = []
            besideReasons = []
            hasBesideReasons = false
            return
        }
        let counts = standing.report.counts
        let kind = standing.campaign.draft.kind
        let rehearsed = Dictionary(
            figures.outcomes.map { (Self.asInLedger($0.outcome), $0.count) }, uniquingKeysWith: +
        )
        let came = Dictionary(
            standing.outcomes.map { (RehearsedOutcome(state: $0.state, reason: $0.reason), $0.count) },
            uniquingKeysWith: +
        )
        besideEmpty = nil
        besideSentence = Self.sentence(rehearsal, rehearsed, standing, zone: zone)
        rehearsalPage = "\(page)/rehearsals/\(rehearsal.id)"
        rehearsalTitle = "Why they differ"
        let audience = Row("Audience", nil, figures.audience, counts.audience)
        besideRows =
            [audience]
            + Self.states(kind).compactMap { state, words in
                let row = (Self.sum(rehearsed, state), Self.sum(came, state))
                return row == (0, 0) && state != .accepted ? nil : Row(words, nil, row.0, row.1)
            }
        besideReasons = Self.reasons(rehearsed, came)
        hasBesideReasons = !besideReasons.isEmpty
    }

    /// Drops the reason of a rehearsed outcome where the ledger has none: it does not say whether a trigger shows an
    /// in-app message.
    private static func asInLedger(_ outcome: RehearsedOutcome) -> RehearsedOutcome {
        [.accepted, .pending].contains(outcome.state) ? RehearsedOutcome(state: outcome.state) : outcome
    }

    private static func states(_ kind: CampaignKind) -> [(DeliveryState, String)] {
        [
            (.accepted, CampaignFunnel.accepted(kind)), (.pending, "Waiting"), (.suppressed, "Not sent"),
            (.rejected, "Rejected"), (.cancelled, "Cancelled"),
        ]
    }

    private static func sum(_ outcomes: [RehearsedOutcome: Int], _ state: DeliveryState) -> Int {
        outcomes.reduce(0) { $1.key.state == state ? $0 + $1.value : $0 }
    }

    /// The reasons why devices would not get the message, and why they did not: the most frequent first.
    private static func reasons(_ rehearsed: [RehearsedOutcome: Int], _ came: [RehearsedOutcome: Int]) -> [Row] {
        let all = Set(rehearsed.keys).union(came.keys).filter { ![.accepted, .pending].contains($0.state) }
        let pairs = all.map { (outcome: $0, rehearsed: rehearsed[$0] ?? 0, came: came[$0] ?? 0) }
            .filter { $0.rehearsed > 0 || $0.came > 0 }
        let sorted = pairs.sorted { one, other in
            let (ofOne, ofOther) = (max(one.rehearsed, one.came), max(other.rehearsed, other.came))
            return (ofOther, one.outcome.state.rawValue, one.outcome.reason?.rawValue ?? "")
                < (ofOne, other.outcome.state.rawValue, other.outcome.reason?.rawValue ?? "")
        }
        return sorted.map { pair in
            let outcome = DeliveryOutcome(state: pair.outcome.state, reason: pair.outcome.reason, count: 1)
            return Row(LossWords.sentence(outcome), StatusChip(pair.outcome.state), pair.rehearsed, pair.came)
        }
    }

    private static func sentence(
        _ rehearsal: Rehearsal, _ rehearsed: [RehearsedOutcome: Int], _ standing: CampaignStanding, zone: AppZone
    ) -> String {
        let foreseen = Figures.count(sum(rehearsed, .accepted))
        let audience = Figures.count(rehearsal.audience, "device", "devices")
        let when = zone.text(rehearsal.startedAt ?? rehearsal.requestedAt)
        let got = Figures.count(standing.report.counts.accepted)
        let now = standing.isOver ? "\(got) got it." : "\(got) have it so far."
        return "The rehearsal of \(when) expected \(foreseen) of \(audience) to get it. \(now)"
    }
}

extension LaunchComparisonModel.Row {
    fileprivate init(_ words: String, _ chip: StatusChip?, _ rehearsed: Int, _ came: Int) {
        self.init(
            besideWords: words, besideChip: chip, besideRehearsed: Figures.count(rehearsed),
            besideCame: Figures.count(came)
        )
    }
}
