import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// What the page of a campaign depends on.
struct CampaignView: Sendable {
    var standing: CampaignStanding
    /// What the push says to an invented person; nil for what sends none.
    let sample: PushContent?
    let version: String
    let hasCredentials: Bool
    let appName: String
    let zone: AppZone
    /// The address of the list of campaigns.
    let base: String
    let rights: Set<UserRight>
    let formToken: String
    var problem: String?
    var trial: TrialModel?
    var tests: [TestLine] = []
    var testDevice = ""

    var campaign: Campaign { standing.campaign }

    /// The same some moments later.
    func at(_ standing: CampaignStanding) -> CampaignView {
        var view = self
        view.standing = standing
        return view
    }
}

/// The state of a campaign and what may be done with it: a part of its page that changes by itself.
struct CampaignStateModel: Sendable {
    let status: StatusChip
    let stateSentence: String?
    let buttons: [StepButton]
    let formToken: String

    init(_ view: CampaignView) {
        let campaign = view.campaign
        status = StatusChip(campaign.status)
        stateSentence = campaign.statusReason
        buttons = StepButton.all(
            campaign, base: "\(view.base)/\(campaign.id)", version: view.version, may: view.rights.contains
        )
        formToken = view.formToken
    }
}

/// A campaign on its page.
struct CampaignModel: Sendable {
    let name: String
    let kind: String
    let listAddress: String
    let liveAddress: String?
    let fileAddress: String?
    let editAddress: String?
    let duplicateAddress: String?
    let trialAddress: String?
    let reachAddress: String?
    let testAddress: String?
    let testDevice: String
    let tests: [TestLine]
    let state: CampaignStateModel
    let funnel: CampaignFunnel?
    let phones: [PhoneModel]
    let hasPhones: Bool
    let facts: [Fact]
    let formToken: String
    let notDone: String?
    let hint: String?
    let trial: TrialModel?

    struct Fact: Sendable {
        let term: String
        let words: String
    }

    init(_ view: CampaignView) {
        let campaign = view.campaign
        let page = "\(view.base)/\(campaign.id)"
        let isDraft = campaign.status == .draft
        let mayCompose = view.rights.contains(.compose)
        let isPush = campaign.draft.kind == .push
        name = campaign.draft.name
        kind = campaign.draft.kind.words
        listAddress = view.base
        liveAddress = isDraft || view.standing.isOver ? nil : "\(page)/live"
        fileAddress = campaign.launchedAt == nil ? nil : "\(page)/counts.csv"
        editAddress = isDraft && mayCompose && isPush ? "\(page)/edit" : nil
        duplicateAddress = mayCompose ? "\(page)/duplicate" : nil
        reachAddress = isDraft ? "\(page)/reach" : nil
        trialAddress = isDraft ? "\(page)/dry-run" : nil
        testAddress = isDraft && mayCompose ? "\(page)/test" : nil
        testDevice = view.testDevice
        tests = view.tests
        state = CampaignStateModel(view)
        funnel = isDraft ? nil : CampaignFunnel(view.standing)
        phones = view.sample.map { PhoneModel.both($0, appName: view.appName) } ?? []
        hasPhones = !phones.isEmpty
        facts = Self.facts(campaign, zone: view.zone)
        formToken = view.formToken
        notDone = view.problem
        hint = Self.hint(view)
        trial = view.trial
    }

    /// What stands in the way of a launch.
    static func hint(_ view: CampaignView) -> String? {
        let kind = view.campaign.draft.kind
        guard view.campaign.status == .draft, !view.hasCredentials, !kind.isInApp, kind != .messageCenter else {
            return nil
        }
        return
            "No push service is set up for this app yet. An admin adds the credentials in the settings; then this can be launched."
    }

    private static func facts(_ campaign: Campaign, zone: AppZone) -> [Fact] {
        let draft = campaign.draft
        var facts = [Fact(term: "Who", words: ConditionWords.sentence(draft.audience))]
        let when = CampaignSchedule.sentences(draft.schedule, zone: zone)
        facts.append(Fact(term: "When", words: when.joined(separator: " ")))
        if let link = draft.push?.action?.url { facts.append(Fact(term: "A tap opens", words: link)) }
        let languages = (draft.push?.variants ?? [:]).keys.sorted()
        if !languages.isEmpty {
            facts.append(Fact(term: "Also in", words: languages.prefix(20).joined(separator: ", ")))
        }
        facts.append(Fact(term: "Created", words: zone.text(campaign.createdAt)))
        if let date = campaign.launchedAt { facts.append(Fact(term: "Launched", words: zone.text(date))) }
        if let date = campaign.endedAt { facts.append(Fact(term: "Ended", words: zone.text(date))) }
        if let date = campaign.recalledAt { facts.append(Fact(term: "Recalled", words: zone.text(date))) }
        return facts
    }
}

/// What became of a test message.
struct TestLine: Sendable {
    let testedDevice: String
    let testSentence: String
}

/// What a launch would do now: the result of a dry run.
struct TrialModel: Sendable {
    let trialSentence: String
    let trialBars: CampaignFunnel.Bars
    let trialLosses: [CampaignFunnel.Loss]
    let hasTrialLosses: Bool

    init(_ run: DryRun) {
        let suppressed = run.suppressed.values.reduce(0, +)
        trialSentence =
            run.audience == 0
            ? "Nobody is in the audience now. Widen it, or wait until people have opened the app."
            : "Launched now, it would reach \(Figures.count(run.wouldSend + run.later)) of \(Figures.count(run.audience, "device", "devices"))."
        var bars = [
            Bar("Audience", run.audience, of: run.audience), Bar("At once", run.wouldSend, of: run.audience),
        ]
        if run.later > 0 { bars.append(Bar("Later", run.later, of: run.audience)) }
        if suppressed > 0 { bars.append(Bar("Not sent", suppressed, of: run.audience, tone: "bar-warning")) }
        trialBars = CampaignFunnel.Bars(bars: bars)
        trialLosses = run.suppressed.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }.map {
            reason, count in
            CampaignFunnel.Loss(
                chip: StatusChip(word: "Not sent", tone: "warning"),
                sentence: LossWords.sentence(DeliveryOutcome(state: .suppressed, reason: reason, count: count)),
                devices: Figures.count(count), part: Figures.share(count, of: run.audience)
            )
        }
        hasTrialLosses = !trialLosses.isEmpty
    }
}
