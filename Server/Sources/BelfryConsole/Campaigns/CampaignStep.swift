import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// A step in a campaign's life that a person takes with a button (CON-7).
enum CampaignStep: String, CaseIterable, Sendable {
    case launch
    case pause
    case resume
    case cancel
    case recall
    case delete

    /// What a person needs for it: whoever answers for what is sent may stop it.
    var right: UserRight {
        switch self {
        case .launch, .resume, .recall, .delete: .compose
        case .pause, .cancel: .stop
        }
    }

    /// As the audit log calls it, like the API.
    var audit: String { "campaign.\(rawValue)" }

    /// Whether it means something now.
    func isPossible(_ campaign: Campaign) -> Bool {
        let kind = campaign.draft.kind
        return switch self {
        case .launch, .delete: campaign.status == .draft
        case .pause: [.sending, .scheduled, .active].contains(campaign.status)
        case .resume: campaign.status == .paused
        case .cancel: [.sending, .scheduled, .active, .paused].contains(campaign.status)
        case .recall: (kind.isInApp || kind.keepsMessage) && campaign.launchedAt != nil && campaign.recalledAt == nil
        }
    }

    /// Whether a person may be asked once more before it is taken.
    var isAskedAbout: Bool {
        switch self {
        case .launch, .resume, .cancel, .recall, .delete: true
        case .pause: false
        }
    }

    /// Whether a campaign begins by it, at its time or at once: its page tells before what that means now.
    var begins: Bool { self == .launch || self == .resume }

    /// - Parameter version: what the person has looked at; no other draft is launched or deleted.
    func take(
        _ id: CampaignID, from version: DraftVersion, in life: CampaignLife, app: AppService.App
    ) async throws -> Campaign {
        switch self {
        case .launch: try await life.launch(id, from: version, app: app)
        case .pause: try await life.pause(id, app: app)
        case .resume: try await life.resume(id, app: app)
        case .cancel: try await life.cancel(id, app: app)
        case .recall: try await life.recall(id, app: app)
        case .delete: try await life.delete(id, from: version, app: app)
        }
    }

    /// What was done.
    func done(_ campaign: Campaign, zone: AppZone, now: Date) -> String {
        switch self {
        case .launch:
            campaign.scheduledAt.map { "The campaign is scheduled: it begins at \(zone.text($0))." }
                ?? "The campaign was launched."
        case .pause: "The campaign is paused. Nothing is sent until somebody resumes it."
        case .resume: Self.resumed(campaign, zone: zone, now: now)
        case .cancel: "The campaign was cancelled. Messages that were already sent still arrive."
        case .recall: "The messages were recalled. Devices that have one remove it at their next sync."
        case .delete: "The draft '\(campaign.draft.name.isolated)' was deleted."
        }
    }

    /// What a resume does, which has just let a campaign go on.
    private static func resumed(_ campaign: Campaign, zone: AppZone, now: Date) -> String {
        guard campaign.status == .scheduled else { return "The campaign continues." }
        return switch LaunchTime(campaign.draft.schedule, now: now) {
        case .ahead(let date): "The campaign continues: it starts at \(zone.text(date))."
        case .begun(let local):
            """
            The campaign continues: where \(AppZone.text(local)) is past, people get it now, everybody else when their own \
            clock shows that time.
            """
        case .atOnce, .past, .refused: "The campaign continues: it starts now."
        }
    }

    fileprivate func title(_ time: LaunchTime?) -> String {
        switch self {
        case .launch: if case .ahead? = time { "Schedule" } else { "Launch now" }
        case .pause: "Pause"
        case .resume: if let time, time.sendsAtOnce { "Resume and send now" } else { "Resume" }
        case .cancel: "Cancel campaign"
        case .recall: "Recall messages"
        case .delete: "Delete the draft"
        }
    }

    fileprivate var style: String {
        switch self {
        case .launch, .resume: "button-primary"
        case .cancel, .recall, .delete: "button-danger"
        case .pause: ""
        }
    }

    fileprivate func question(_ time: LaunchTime?, zone: AppZone) -> String? {
        switch self {
        case .launch: time?.question(zone: zone)
        case .resume: time?.resumeQuestion(zone: zone)
        case .cancel: "End this campaign for good? Messages that were not sent yet are never sent."
        case .recall: "Take the messages of this campaign back from everybody?"
        case .delete: "Delete this draft for good?"
        case .pause: nil
        }
    }
}

extension CampaignStep {
    /// What will happen, for the page with the question.
    fileprivate var consequence: String {
        switch self {
        // A resume is asked about where it begins to send.
        case .launch, .resume: "A push that was sent cannot be taken back."
        case .cancel: "Messages that were already sent still arrive."
        case .recall: "Devices that have one remove it at their next sync."
        case .delete: "Its versions, comments, approvals and rehearsals go with it. Nothing but tests was sent."
        case .pause: "Nothing is sent until somebody resumes it."
        }
    }
}

/// The button of a step.
struct StepButton: Sendable {
    let stepTitle: String
    let style: String
    let stepAddress: String
    let question: String?
    /// Where the question is a page, for whoever's browser runs no script.
    let questionAddress: String
    /// What the person looks at; of a launch, so that nobody launches what they have not seen.
    let version: String
    /// What a launch does now, or a resume before it, as the button says; nil for any other step.
    let told: String?

    /// - Parameter time: of what has not begun, what a launch or a resume makes of it now.
    init(_ step: CampaignStep, base: String, version: String, time: LaunchTime?, zone: AppZone) {
        stepTitle = step.title(time)
        style = step.style
        stepAddress = "\(base)/\(step.rawValue)"
        question = step.question(time, zone: zone)
        questionAddress = "\(stepAddress)/ask"
        self.version = version
        told = step.begins ? time?.told : nil
    }

    /// Those that mean something now, for a person with these rights.
    static func all(
        _ campaign: Campaign, base: String, version: String, time: LaunchTime?, zone: AppZone,
        may: (UserRight) -> Bool
    ) -> [StepButton] {
        CampaignStep.allCases.filter { $0.isPossible(campaign) && may($0.right) }
            .map { StepButton($0, base: base, version: version, time: time, zone: zone) }
    }
}

extension ConfirmModel {
    /// The question before a step, as a page; nil where there is none to ask now.
    init?(_ step: CampaignStep, _ campaign: Campaign, _ button: StepButton, page: String, formToken: String) {
        guard step.isPossible(campaign), let question = button.question else { return nil }
        self.init(
            question, consequences: [step.consequence], button: button.stepTitle, form: button.stepAddress, back: page,
            backTitle: campaign.draft.name, formToken: formToken,
            hidden: ["version": button.version].merging(button.told.map { ["told": $0] } ?? [:]) { $1 }
        )
    }
}
