import BelfryModel
import BelfryServerModel
import BelfryServices

/// The figures of a launched campaign: bars that add up to its audience, and why devices did not get it (CON-7).
struct CampaignFunnel: Sendable {
    struct Loss: Sendable {
        let chip: StatusChip
        let sentence: String
        let devices: String
        let part: String
        /// The address of the list of these people; nil: no link.
        var peopleAddress: String? = nil
    }

    /// A sentence with the main figures, also for people who do not see the bars.
    let summary: String
    /// The time at which the figures were summed up, in words; nil: they are current.
    let ofWhen: String?
    let audience: Bars
    /// Events that devices reported after they got the message.
    let engagement: Bars?
    let losses: [Loss]
    let hasLosses: Bool
    /// The progress in percent, 0 to 100; nil when all deliveries have ended.
    let percent: String?

    /// - Parameter page: the address of the campaign, under which its people are listed; nil: the bars have no links.
    init(_ standing: CampaignStanding, page: String? = nil, zone: AppZone = AppZone(named: "UTC")) {
        let counts = standing.report.counts
        let kind = standing.campaign.draft.kind
        audience = Bars(bars: Self.audience(counts, kind, page))
        engagement = counts.accepted > 0 ? Bars(bars: Self.engagement(standing, kind, page)) : nil
        losses = standing.outcomes.filter { ![.pending, .accepted].contains($0.state) }.map { outcome in
            Loss(
                chip: StatusChip(outcome.state), sentence: LossWords.sentence(outcome),
                devices: Figures.count(outcome.count), part: Figures.share(outcome.count, of: counts.audience),
                peopleAddress: page.map {
                    PeopleGroup(state: outcome.state, reason: outcome.reason?.rawValue).address(below: $0)
                }
            )
        }
        hasLosses = !losses.isEmpty
        let done = counts.audience - counts.pending
        percent = standing.isOver || counts.audience == 0 || kind.isInApp ? nil : String(done * 100 / counts.audience)
        summary = Self.summary(standing)
        ofWhen = standing.summedAt.map { "Summed up \(zone.text($0))." }
    }

    private static func audience(_ counts: CampaignCounts, _ kind: CampaignKind, _ page: String?) -> [Bar] {
        let whole = counts.audience
        func bar(_ label: String, _ part: Int, _ state: DeliveryState?, tone: String = "") -> Bar {
            Bar(label, part, of: whole, tone: tone, address: page.map { PeopleGroup(state: state).address(below: $0) })
        }
        var bars = [bar("Audience", whole, nil), bar(accepted(kind), counts.accepted, .accepted)]
        if counts.pending > 0 { bars.append(bar("Waiting", counts.pending, .pending)) }
        if counts.suppressed > 0 { bars.append(bar("Not sent", counts.suppressed, .suppressed, tone: "bar-warning")) }
        if counts.rejected > 0 { bars.append(bar("Rejected", counts.rejected, .rejected, tone: "bar-bad")) }
        if counts.cancelled > 0 { bars.append(bar("Cancelled", counts.cancelled, .cancelled, tone: "bar-warning")) }
        return bars
    }

    private static func engagement(_ standing: CampaignStanding, _ kind: CampaignKind, _ page: String?) -> [Bar] {
        let counts = standing.report.counts
        func address(_ group: PeopleGroup) -> String? { page.map { group.address(below: $0) } }
        return [
            Bar(
                accepted(kind), counts.accepted, of: counts.accepted, address: address(PeopleGroup(state: .accepted))
            ),
            Bar(
                "Displayed", counts.displayed, of: counts.accepted,
                address: address(PeopleGroup(engagement: .displayed))
            ),
            Bar("Opened", counts.opened, of: counts.accepted, address: address(PeopleGroup(engagement: .opened))),
        ]
    }

    /// The word for the state `accepted` in a campaign of this kind.
    static func accepted(_ kind: CampaignKind) -> String {
        switch kind {
        case .push, .pushAndMessageCenter, .silent: "Accepted"
        case .messageCenter: "Placed"
        case .inApp: "Downloaded"
        }
    }

    private static func summary(_ standing: CampaignStanding) -> String {
        let counts = standing.report.counts
        guard standing.campaign.launchedAt != nil else {
            return standing.campaign.status == .cancelled
                ? "It was cancelled before it began." : "It has not begun. Its audience is selected when it does."
        }
        guard counts.audience > 0 else {
            return standing.isPlanned
                ? "Nobody was in its audience." : "The audience is being selected. The figures follow in a moment."
        }
        let devices = Figures.count(counts.audience, "device is", "devices are")
        let selecting = standing.isPlanned ? "" : " so far"
        let open = counts.pending > 0 ? " \(Figures.count(counts.pending)) of them are still waiting." : ""
        return "\(devices) in the audience\(selecting).\(open)"
    }
}
