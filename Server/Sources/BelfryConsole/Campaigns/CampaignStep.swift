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

    /// The right that a person needs for the step. Approvers, who are responsible for what is sent, may stop a
    /// campaign.
    var right: UserRight {
        switch self {
        case .launch, .resume, .recall, .delete: .compose
        case .pause, .cancel: .stop
        }
    }

    /// The name of the step in the audit log, the same as for the API.
    var audit: String { "campaign.\(rawValue)" }

    /// Whether the step is possible in the campaign's present state.
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

    /// Whether the step needs a confirmation.
    var isAskedAbout: Bool {
        switch self {
        case .launch, .resume, .cancel, .recall, .delete: true
        case .pause: false
        }
    }

    /// Whether the step makes a campaign begin, now or at its time. The page then says beforehand what the step will
    /// do.
    var begins: Bool { self == .launch || self == .resume }

    /// - Parameter version: the version that the person has seen; another draft is not launched or deleted.
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

    /// The sentence that confirms the step after it was taken.
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

    /// The sentence after a resume: when the campaign is sent.
    private static func resumed(_ campaign: Campaign, zone: AppZone, now: Date) -> String {
        guard campaign.status == .scheduled else { return "The campaign continues." }
        return switch LaunchTime(campaign.draft.schedule, now: now) {
        case .ahead(let date): "The campaign continues: it starts at \(zone.text(date))."
        case .begun(let local):
            """
            The campaign continues: where \(AppZone.text(local)) is past, people get it now, everybody else when their own \
            clock shows that time.
            """
        case .atOnce, .past, .rejected: "The campaign continues: it starts now."
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
    /// The consequence of the step, for the confirmation page.
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
    /// The address of the confirmation page, for browsers that run no script.
    let questionAddress: String
    /// The version that the person sees: nobody launches a version that they have not seen.
    let version: String
    /// The form's word for what the page said about the campaign's time (``LaunchTime/formWord``); nil for a step other
    /// than a launch or a resume before that time.
    let launchTime: String?

    /// - Parameter time: for a campaign that has not begun, when it would begin if it were launched or resumed now.
    init(_ step: CampaignStep, base: String, version: String, time: LaunchTime?, zone: AppZone) {
        stepTitle = step.title(time)
        style = step.style
        stepAddress = "\(base)/\(step.rawValue)"
        question = step.question(time, zone: zone)
        questionAddress = "\(stepAddress)/ask"
        self.version = version
        launchTime = step.begins ? time?.formWord : nil
    }

    /// The buttons for all steps that are possible now and that these rights permit.
    static func all(
        _ campaign: Campaign, base: String, version: String, time: LaunchTime?, zone: AppZone,
        may: (UserRight) -> Bool
    ) -> [StepButton] {
        CampaignStep.allCases.filter { $0.isPossible(campaign) && may($0.right) }
            .map { StepButton($0, base: base, version: version, time: time, zone: zone) }
    }
}

extension ConfirmModel {
    /// The confirmation page of a step; nil where the step needs no confirmation now.
    init?(_ step: CampaignStep, _ campaign: Campaign, _ button: StepButton, page: String, formToken: String) {
        guard step.isPossible(campaign), let question = button.question else { return nil }
        self.init(
            question, consequences: [step.consequence], button: button.stepTitle, form: button.stepAddress, back: page,
            backTitle: campaign.draft.name, formToken: formToken,
            hidden: ["version": button.version].merging(button.launchTime.map { ["told": $0] } ?? [:]) { $1 }
        )
    }
}
