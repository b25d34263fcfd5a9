import BelfryModel
import BelfryServerModel
import BelfryServices

/// The parts of a campaign's page, each time that they have changed.
actor LiveCampaign {
    private let first: CampaignView
    private let follower: CampaignFollower
    private let hours: @Sendable () async -> CampaignHours?
    private var waiting: [LiveFragment] = []
    private var isOver = false

    init(
        _ view: CampaignView, following follower: CampaignFollower,
        hours: @escaping @Sendable () async -> CampaignHours? = { nil }
    ) {
        first = view
        self.follower = follower
        self.hours = hours
    }

    /// Nil when there is nothing more to tell; then the browser asks anew, unless the campaign is over.
    func next() async -> LiveFragment? {
        if waiting.isEmpty {
            guard !isOver, let standing = try? await follower.next() else { return nil }
            isOver = standing.isOver
            waiting = fragments(standing, hours: await hours())
        }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    private func fragments(_ standing: CampaignStanding, hours: CampaignHours?) -> [LiveFragment] {
        let view = first.at(standing)
        let funnel = CampaignFunnel(standing, page: "\(view.base)/\(standing.campaign.id)")
        let figures = LiveFragment(target: "figures", template: "campaign-figures", model: funnel)
        let charts = LiveFragment(
            target: "hours", template: "campaign-hours", model: CampaignHoursModel(hours, zone: view.zone)
        )
        let state = LiveFragment(target: "state", template: "campaign-state", model: CampaignStateModel(view))
        let beside = LaunchComparisonModel(
            view.rehearsed, standing, page: "\(view.base)/\(standing.campaign.id)", zone: view.zone
        ).map { LiveFragment(target: "rehearsed", template: "campaign-rehearsed", model: $0) }
        let parts = [figures, beside, charts, state].compactMap(\.self)
        let end = LiveFragment(target: "end", template: "campaign-figures", model: funnel)
        return isOver ? parts + [end] : parts
    }
}
