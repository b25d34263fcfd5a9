import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// The answer to "Why did … (not) get …?" in a sentence, with its evidence (LED-2, LED-5).
extension PeoplePages {
    static func why(_ call: ConsoleCall) async throws -> ConsoleResponse {
        let app = try call.inApp()
        let profile = try await call.services.directory.person(try call.person(), app: app)
        let place = try PersonPlace(call, profile.contact.id)
        let wanted = call.query["q"]
        let campaign = try await asked(call, wanted: wanted)
        let found = try await WhyForm.campaigns(call, named: campaign == nil ? wanted : "")
        var answer: WhyAnswer?
        if let campaign {
            let zone = place.zone
            let explanation = try await call.services.explainer.telling { zone.text($0) }.explain(
                campaign.id, person: .number(profile.contact.id), app: app
            )
            answer = WhyAnswer(explanation, campaign: CampaignQueries.Summary(campaign), at: place)
        }
        let model = WhyModel(
            person: profile.contact.key, answer: answer,
            form: WhyForm(
                place.why, campaigns: found, chosen: campaign?.id, wanted: campaign == nil ? wanted : ""
            ), at: place
        )
        return .page(Page("Why?", template: "person-why", section: .people, model: model))
    }

    /// The campaign that was chosen, or whose id was typed; nil when a name was typed. A number that is no campaign's
    /// id is searched as part of a name.
    private static func asked(_ call: ConsoleCall, wanted: String) async throws -> Campaign? {
        let (campaigns, app) = (call.services.campaigns, try call.inApp())
        if let id = CampaignID(call.query["campaign"]) { return try await campaigns.queries.campaign(id, app: app) }
        guard let id = CampaignID(wanted) else { return nil }
        do {
            return try await campaigns.queries.campaign(id, app: app)
        } catch ServiceError.notFound(what: "campaign", id: _, code: _) {
            return nil
        }
    }
}

struct WhyModel: Sendable {
    let personTitle: String
    let personAddress: String
    let peopleAddress: String
    let answer: WhyAnswer?
    let whyForm: WhyForm
    /// Whether no campaign was chosen yet.
    let isQuestion: Bool

    init(person: String, answer: WhyAnswer?, form: WhyForm, at place: PersonPlace) {
        personTitle = person
        personAddress = place.person
        peopleAddress = place.list
        self.answer = answer
        whyForm = form
        isQuestion = answer == nil
    }
}

/// The answer about one campaign.
struct WhyAnswer: Sendable {
    struct DeviceAnswer: Sendable {
        let evidenceDevice: String
        let evidenceChip: StatusChip
        let evidenceSentence: String
        let evidenceNote: String?
        /// The sentence above the audience's conditions, for a device that the audience left out; nil for any other
        /// device.
        let audienceLead: String?
        let audienceParts: [AudiencePartLine]
        let evidenceSteps: [Step]
        let hasEvidenceSteps: Bool
    }

    struct AudiencePartLine: Sendable {
        let partChip: StatusChip
        let partWords: String

        init(_ part: AudiencePart) {
            partChip =
                switch part.holds {
                case true?: StatusChip(word: "Yes", tone: "good")
                case false?: StatusChip(word: "No", tone: "warning")
                case nil: StatusChip(word: "Not known", tone: "quiet")
                }
            partWords = ConditionWords.sentence(part.condition)
        }
    }

    struct Step: Sendable {
        let stepWhen: String
        let stepMoment: String
        let stepWords: String
    }

    let answeredCampaign: String
    let answeredCampaignAddress: String
    let answerChip: StatusChip
    let answerSentence: String
    let centerSentence: String?
    let answeredDevices: [DeviceAnswer]
    let hasAnsweredDevices: Bool
    let moreDevices: String?

    init(_ explanation: ContactExplanation, campaign: CampaignQueries.Summary, at place: PersonPlace) {
        answeredCampaign = campaign.name
        answeredCampaignAddress = "\(place.app)/campaigns/\(campaign.id)"
        answerChip = StatusChip(deliveryState: explanation.state, of: campaign.kind)
        answerSentence = explanation.sentence
        centerSentence = explanation.center?.sentence
        answeredDevices = explanation.devices.map { device in
            let steps = StepWords.shown(device.explanation.history, of: campaign.kind).map { step in
                Step(
                    stepWhen: place.zone.text(step.at), stepMoment: Timestamp.text(step.at),
                    stepWords: StepWords.words(step, of: campaign.kind)
                )
            }
            return DeviceAnswer(
                evidenceDevice: device.client.rawValue,
                evidenceChip: StatusChip(deliveryState: device.explanation.state, of: campaign.kind),
                evidenceSentence: device.explanation.sentence,
                evidenceNote: device.isPresent ? nil : "The person had this device then, and has it no more.",
                audienceLead: Self.lead(device.explanation.audience),
                audienceParts: device.explanation.audience.map(AudiencePartLine.init),
                evidenceSteps: steps, hasEvidenceSteps: !steps.isEmpty
            )
        }
        hasAnsweredDevices = !answeredDevices.isEmpty
        moreDevices = explanation.omission
    }

    /// The sentence above the conditions of an audience; nil where there are none.
    private static func lead(_ parts: [AudiencePart]) -> String? {
        guard !parts.isEmpty else { return nil }
        if parts.contains(where: { $0.holds == false }) {
            return "The conditions of the audience, and whether this device meets them now:"
        }
        return parts.allSatisfy { $0.holds == true }
            ? "This device now meets all conditions of the audience:"
            : "The conditions of the audience. Some of them could not be checked now:"
    }
}

/// The history of a message in words.
enum StepWords {
    private static let phrases = [
        "launched": "The campaign was launched.", "due": "It was due", "pending": "It is waiting",
        "suppressed": "It was not sent", "rejected": "It was rejected", "cancelled": "It was cancelled",
        "received": "The device received it.", "displayed": "It was displayed.",
        "opened": "It was opened.", "dismissed": "It was dismissed without being opened.",
        "messageDisplayed": "It was displayed in the message center",
        "messageOpened": "It was opened in the message center",
        downloaded: downloadedPhrase, "notShown": "It was not shown", "withdrawn": "It was withdrawn.",
    ]

    private static let downloaded = "downloaded"
    private static let downloadedPhrase = "The device downloaded it"

    /// The steps to show. A downloaded in-app message also has a step `accepted`, which is dropped: `downloaded` says
    /// the same, and has the version.
    static func shown(_ steps: [Explanation.Step], of kind: CampaignKind) -> [Explanation.Step] {
        guard kind.isInApp, steps.contains(where: { $0.what == downloaded }) else { return steps }
        return steps.filter { $0.what != DeliveryState.accepted.rawValue }
    }

    static func words(_ step: Explanation.Step, of kind: CampaignKind) -> String {
        let isAcceptance = step.what == DeliveryState.accepted.rawValue
        let what = isAcceptance ? acceptance(kind) : phrases[step.what] ?? step.what
        guard let detail = step.detail else { return what.utf8.last == UInt8(ascii: ".") ? what : "\(what)." }
        return "\(what): \(detail)"
    }

    /// The sentence for the step `accepted`: its meaning depends on the kind of campaign, since only a push goes to a
    /// push service.
    private static func acceptance(_ kind: CampaignKind) -> String {
        switch kind {
        case .push, .pushAndMessageCenter, .silent: "The push service accepted it"
        case .messageCenter: "It was placed in the message center"
        case .inApp: downloadedPhrase
        }
    }
}

extension StatusChip {
    /// The chip for a delivery's state, or for a device without a delivery.
    init(deliveryState state: String, of kind: CampaignKind) {
        if let state = DeliveryState(rawValue: state) {
            self.init(state, of: kind)
        } else if state == Explanation.removed {
            self.init(word: "No longer known", tone: "quiet")
        } else {
            self.init(word: "Not in the audience", tone: "quiet")
        }
    }
}
