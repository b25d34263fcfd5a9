import BelfryModel
import BelfryServerModel
import BelfryServices

/// A step in a campaign's life that a person takes with a button (CON-7).
enum CampaignStep: String, CaseIterable, Sendable {
    case launch
    case pause
    case resume
    case cancel
    case recall

    /// What a person needs for it: whoever answers for what is sent may stop it.
    var right: UserRight {
        switch self {
        case .launch, .resume, .recall: .compose
        case .pause, .cancel: .stop
        }
    }

    /// As the audit log calls it, like the API.
    var audit: String { "campaign.\(rawValue)" }

    /// Whether it means something now.
    func isPossible(_ campaign: Campaign) -> Bool {
        let kind = campaign.draft.kind
        return switch self {
        case .launch: campaign.status == .draft
        case .pause: [.sending, .scheduled, .active].contains(campaign.status)
        case .resume: campaign.status == .paused
        case .cancel: [.sending, .scheduled, .active, .paused].contains(campaign.status)
        case .recall: (kind.isInApp || kind.keepsMessage) && campaign.launchedAt != nil && campaign.recalledAt == nil
        }
    }

    func take(_ id: CampaignID, in life: CampaignLife, app: AppService.App) async throws -> Campaign {
        switch self {
        case .launch: try await life.launch(id, app: app)
        case .pause: try await life.pause(id, app: app)
        case .resume: try await life.resume(id, app: app)
        case .cancel: try await life.cancel(id, app: app)
        case .recall: try await life.recall(id, app: app)
        }
    }

    /// What was done.
    func done(_ campaign: Campaign, zone: AppZone) -> String {
        switch self {
        case .launch:
            campaign.scheduledAt.map { "The campaign is scheduled: it begins at \(zone.text($0))." }
                ?? "The campaign was launched."
        case .pause: "The campaign is paused. Nothing leaves until somebody resumes it."
        case .resume: "The campaign goes on."
        case .cancel: "The campaign was cancelled. What had left already arrives."
        case .recall: "The messages were recalled. Devices that hold one remove it when they next ask."
        }
    }

    fileprivate func title(_ campaign: Campaign) -> String {
        switch self {
        case .launch: campaign.draft.schedule?.hasTime != true ? "Launch now" : "Schedule"
        case .pause: "Pause"
        case .resume: "Resume"
        case .cancel: "Cancel campaign"
        case .recall: "Recall messages"
        }
    }

    fileprivate var style: String {
        switch self {
        case .launch, .resume: "button-primary"
        case .cancel, .recall: "button-danger"
        case .pause: ""
        }
    }

    fileprivate func question(_ campaign: Campaign) -> String? {
        switch self {
        case .launch:
            campaign.draft.schedule?.hasTime != true
                ? "Send this campaign to its whole audience now?" : "Schedule this campaign for its whole audience?"
        case .cancel: "End this campaign for good? What was not sent yet is never sent."
        case .recall: "Take the messages of this campaign back from everybody?"
        case .pause, .resume: nil
        }
    }
}

extension CampaignSchedule {
    /// Whether it is sent later than at its launch.
    fileprivate var hasTime: Bool { at != nil || localAt != nil }
}

/// The button of a step.
struct StepButton: Sendable {
    let stepTitle: String
    let style: String
    let stepAddress: String
    let question: String?
    /// What the person looks at; of a launch, so that nobody launches what they have not seen.
    let version: String

    init(_ step: CampaignStep, _ campaign: Campaign, base: String, version: String) {
        stepTitle = step.title(campaign)
        style = step.style
        stepAddress = "\(base)/\(step.rawValue)"
        question = step.question(campaign)
        self.version = version
    }

    /// Those that mean something now, for a person with these rights.
    static func all(
        _ campaign: Campaign, base: String, version: String, may: (UserRight) -> Bool
    ) -> [StepButton] {
        CampaignStep.allCases.filter { $0.isPossible(campaign) && may($0.right) }
            .map { StepButton($0, campaign, base: base, version: version) }
    }
}
