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
    }

    /// Bars of one list, as the template `bars` takes them.
    struct Bars: Sendable {
        let bars: [Bar]
    }

    /// A sentence for readers, and for who does not see the bars.
    let summary: String
    let audience: Bars
    /// What devices told later, of those that got it.
    let engagement: Bars?
    let losses: [Loss]
    let hasLosses: Bool
    /// Nil once everything has ended; 0 to 100.
    let percent: String?

    init(_ standing: CampaignStanding) {
        let counts = standing.report.counts
        let kind = standing.campaign.draft.kind
        audience = Bars(bars: Self.audience(counts, kind))
        engagement = counts.accepted > 0 ? Bars(bars: Self.engagement(standing, kind)) : nil
        losses = standing.outcomes.filter { ![.pending, .accepted].contains($0.state) }.map { outcome in
            Loss(
                chip: Self.chip(outcome.state), sentence: LossWords.sentence(outcome),
                devices: Figures.count(outcome.count), part: Figures.share(outcome.count, of: counts.audience)
            )
        }
        hasLosses = !losses.isEmpty
        let done = counts.audience - counts.pending
        percent = standing.isOver || counts.audience == 0 || kind.isInApp ? nil : String(done * 100 / counts.audience)
        summary = Self.summary(standing)
    }

    private static func audience(_ counts: CampaignCounts, _ kind: CampaignKind) -> [Bar] {
        let whole = counts.audience
        var bars = [Bar("Audience", whole, of: whole), Bar(accepted(kind), counts.accepted, of: whole)]
        if counts.pending > 0 { bars.append(Bar("Waiting", counts.pending, of: whole)) }
        if counts.suppressed > 0 { bars.append(Bar("Not sent", counts.suppressed, of: whole, tone: "bar-warning")) }
        if counts.rejected > 0 { bars.append(Bar("Rejected", counts.rejected, of: whole, tone: "bar-bad")) }
        if counts.cancelled > 0 { bars.append(Bar("Cancelled", counts.cancelled, of: whole, tone: "bar-warning")) }
        return bars
    }

    private static func engagement(_ standing: CampaignStanding, _ kind: CampaignKind) -> [Bar] {
        let counts = standing.report.counts
        return [
            Bar(accepted(kind), counts.accepted, of: counts.accepted),
            Bar("Displayed", counts.displayed, of: counts.accepted), Bar("Opened", counts.opened, of: counts.accepted),
        ]
    }

    private static func accepted(_ kind: CampaignKind) -> String {
        switch kind {
        case .push, .pushAndMessageCenter, .silent: "Accepted"
        case .messageCenter: "Placed"
        case .inApp: "Downloaded"
        }
    }

    private static func chip(_ state: DeliveryState) -> StatusChip {
        switch state {
        case .pending: StatusChip(word: "Waiting", tone: "busy")
        case .accepted: StatusChip(word: "Accepted", tone: "good")
        case .suppressed: StatusChip(word: "Not sent", tone: "warning")
        case .rejected: StatusChip(word: "Rejected", tone: "bad")
        case .cancelled: StatusChip(word: "Cancelled", tone: "quiet")
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
