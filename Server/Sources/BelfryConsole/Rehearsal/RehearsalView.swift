import BelfryServerModel
import BelfryServices

/// What the page of a rehearsal depends on.
struct RehearsalView: Sendable {
    /// Devices of an audience that is compared without being asked.
    static let comparedAtOnce = 20_000

    let campaign: Campaign
    /// Of what the campaign says now; of a launched in-app message that is what devices have.
    let version: String
    /// Of what would be rehearsed now, such as a change of that message that waits; nil where nothing would be.
    let next: String?
    /// Nil before the first.
    var rehearsal: Rehearsal?
    /// The newest first.
    var all: [Rehearsal]
    let zone: AppZone
    /// The address of the list of campaigns.
    let base: String
    let rights: Set<UserRight>
    let formToken: String
    /// The idempotency key of its forms that make something.
    let formKey: String
    var former: Rehearsal?
    var comparison: RehearsalComparison?
    /// Why it cannot be compared now.
    var comparisonProblem: String?
    var problem: String?

    var page: String { "\(base)/\(campaign.id)" }

    /// The same some moments later.
    func at(_ rehearsal: Rehearsal) -> RehearsalView {
        var view = self
        view.rehearsal = rehearsal
        view.all = all.map { $0.id == rehearsal.id ? rehearsal : $0 }
        return view
    }

    /// Whether what was rehearsed has begun to come. An in-app message is changed in place: what came is of what was
    /// published.
    var isComparable: Bool {
        guard campaign.launchedAt != nil, let rehearsal, rehearsal.status == .done else { return false }
        return !campaign.draft.kind.isInApp || rehearsal.version == version
    }

    func mayCompare(asked: Bool) -> Bool {
        asked || (rehearsal?.audience ?? 0) <= Self.comparedAtOnce
    }
}
