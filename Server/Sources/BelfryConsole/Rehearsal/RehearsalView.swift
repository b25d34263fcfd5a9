import BelfryServerModel
import BelfryServices

/// The data from which the page of a rehearsal is made.
struct RehearsalView: Sendable {
    /// The largest audience, in devices, that is compared without a request.
    static let comparedAtOnce = 20_000

    let campaign: Campaign
    /// The version of the campaign now. For a launched in-app message, the version that devices have.
    let version: String
    /// The version that a rehearsal would run now, such as a waiting change of an in-app message; nil where nothing can
    /// be rehearsed.
    let next: String?
    /// The rehearsal that is shown; nil before the first one.
    var rehearsal: Rehearsal?
    /// All rehearsals of the campaign, the newest first.
    var all: [Rehearsal]
    let zone: AppZone
    /// The address of the list of campaigns.
    let base: String
    let rights: Set<UserRight>
    let formToken: String
    /// The idempotency key of the page's forms.
    let formKey: String
    var former: Rehearsal?
    var comparison: RehearsalComparison?
    /// Why the comparison cannot be made now.
    var comparisonProblem: String?
    var problem: String?

    var page: String { "\(base)/\(campaign.id)" }

    /// A copy of this view with a newer state of the rehearsal.
    func at(_ rehearsal: Rehearsal) -> RehearsalView {
        var view = self
        view.rehearsal = rehearsal
        view.all = all.map { $0.id == rehearsal.id ? rehearsal : $0 }
        return view
    }

    /// Whether there are real figures to compare with. An in-app message is changed in place, so only a rehearsal of
    /// the published version can be compared.
    var isComparable: Bool {
        guard campaign.launchedAt != nil, let rehearsal, rehearsal.status == .done else { return false }
        return !campaign.draft.kind.isInApp || rehearsal.version == version
    }

    func mayCompare(asked: Bool) -> Bool {
        asked || (rehearsal?.audience ?? 0) <= Self.comparedAtOnce
    }
}
