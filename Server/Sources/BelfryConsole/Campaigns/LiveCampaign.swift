import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// Sends the parts of a campaign's page each time that they have changed.
actor LiveCampaign {
    private let first: CampaignView
    private let follower: CampaignFollower
    private let hours: @Sendable () async -> CampaignHours?
    private let now: @Sendable () -> Date
    private let mayGoOn: @Sendable () async -> Bool
    private var waiting: [LiveFragment] = []
    private var isOver = false

    /// - Parameter mayGoOn: whether the person may still see the campaign.
    init(
        _ view: CampaignView, following follower: CampaignFollower,
        hours: @escaping @Sendable () async -> CampaignHours? = { nil }, now: @escaping @Sendable () -> Date,
        while mayGoOn: @escaping @Sendable () async -> Bool
    ) {
        first = view
        self.follower = follower
        self.hours = hours
        self.now = now
        self.mayGoOn = mayGoOn
    }

    /// The next changed part; nil when the stream ends. Then the browser connects again, unless the campaign is over.
    func next() async -> LiveFragment? {
        if waiting.isEmpty {
            guard !isOver, let standing = try? await follower.next(while: mayGoOn) else { return nil }
            isOver = standing.isOver
            waiting = fragments(standing, hours: await hours())
        }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    private func fragments(_ standing: CampaignStanding, hours: CampaignHours?) -> [LiveFragment] {
        let view = first.at(standing, now: now())
        let funnel = CampaignFunnel(standing, page: "\(view.base)/\(standing.campaign.id)", zone: view.zone)
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

extension ConsoleCall {
    /// Whether the session is still valid and its person may still see the app. A live page asks this at each update
    /// (CON-3); that does not count as a request of the person.
    func isStillWelcome() async -> Bool {
        guard let app, let token = sessionToken,
            let user = try? await services.signIn.user(token: token, isRequest: false)
        else { return false }
        return user.role(in: app)?.allows(.view) ?? false
    }
}
