import BelfryServerModel
import BelfryServices

/// What the page of a rehearsal depends on.
struct RehearsalView: Sendable {
    /// Devices of an audience that is compared without being asked.
    static let comparedAtOnce = 20_000

    let campaign: Campaign
    /// Of the draft as it is now.
    let version: String
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
    var problem: String?

    var page: String { "\(base)/\(campaign.id)" }

    /// The same some moments later.
    func at(_ rehearsal: Rehearsal) -> RehearsalView {
        var view = self
        view.rehearsal = rehearsal
        view.all = all.map { $0.id == rehearsal.id ? rehearsal : $0 }
        return view
    }

    func mayCompare(asked: Bool) -> Bool {
        asked || (rehearsal?.audience ?? 0) <= Self.comparedAtOnce
    }
}
