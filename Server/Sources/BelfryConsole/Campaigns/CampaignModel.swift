import BelfryModel
import BelfryServerModel
import BelfryServices
import Foundation

/// The data from which a campaign's page is made.
struct CampaignView: Sendable {
    var standing: CampaignStanding
    /// The push as an invented person would get it; nil for a campaign without a visible push.
    let sample: PushContent?
    /// Why the sample cannot be shown now.
    var sampleProblem: String?
    let version: String
    let hasCredentials: Bool
    let appName: String
    let zone: AppZone
    var now: Date
    /// The figures by hour; nil until a large ledger has been summed up.
    var hours: CampaignHours?
    /// The address of the list of campaigns.
    let base: String
    let rights: Set<UserRight>
    let formToken: String
    /// The idempotency key of the page's forms that create something.
    var formKey = ""
    var problem: String?
    /// Whether ``problem`` already says why the campaign cannot be launched; then the page gives no hints besides it.
    var isLaunchRejected = false
    var trial: TrialModel?
    var tests: [TestLine] = []
    var testDevice = ""
    /// Versions, approval and comments.
    var review: ReviewView?
    /// The rehearsal that belongs to the launch; nil for a campaign that was not launched.
    var rehearsed: RehearsedLaunch?

    var campaign: Campaign { standing.campaign }
    /// When the campaign would begin if it were launched now, or resumed before its time; nil once it has begun.
    var launchTime: LaunchTime? { campaign.launchTime(now: now) }

    /// A copy of this view with a newer state of the campaign.
    func at(_ standing: CampaignStanding, now: Date) -> CampaignView {
        var view = self
        view.standing = standing
        view.now = now
        return view
    }
}

/// The state of a campaign and the steps that are possible: a part of its page that updates by itself.
struct CampaignStateModel: Sendable {
    let status: StatusChip
    let stateSentence: String?
    /// For a campaign that was paused before its time: what happens if it is resumed now.
    let resumeSentence: String?
    let buttons: [StepButton]
    let formToken: String

    init(_ view: CampaignView) {
        let campaign = view.campaign
        status = StatusChip(campaign.status)
        stateSentence = campaign.statusReason
        resumeSentence = campaign.isPausedBeforeLaunch ? Self.resumeSentence(view) : nil
        buttons = StepButton.all(
            campaign, base: "\(view.base)/\(campaign.id)", version: view.version, time: view.launchTime,
            zone: view.zone, may: view.rights.contains
        )
        formToken = view.formToken
    }

    private static func resumeSentence(_ view: CampaignView) -> String? {
        if view.review?.isUnapproved == true {
            return """
                This app requires an approval, and nobody has approved this campaign. It can no longer be resumed: cancel \
                it, and let another person approve a copy of it after a rehearsal.
                """
        }
        return view.launchTime.map { $0.resumeRemark(zone: view.zone) }
    }
}

/// A campaign on its page.
struct CampaignModel: Sendable {
    let name: String
    let kind: String
    let listAddress: String
    let liveAddress: String?
    let fileAddress: String?
    /// The page on which to search for a person and ask why they did or did not get the campaign.
    let askAddress: String?
    let editAddress: String?
    let editTitle: String
    let duplicateAddress: String?
    let trialAddress: String?
    let reachAddress: String?
    let rehearsalAddress: String
    let testAddress: String?
    let testDevice: String
    let tests: [TestLine]
    let state: CampaignStateModel
    let funnel: CampaignFunnel?
    /// The figures by hour; nil before the launch.
    let hours: CampaignHoursModel?
    /// The rehearsed figures beside the real ones; nil before the launch.
    let beside: LaunchComparisonModel?
    let zoneName: String
    let phones: [PhoneModel]
    let hasPhones: Bool
    let sampleProblem: String?
    /// Previews of the message's own HTML pages, shown in frames.
    let pages: [PhonePage]
    /// The page with the messages that the campaign has placed in a message center.
    let placedAddress: String?
    let facts: [Fact]
    let formToken: String
    let formKey: String
    let notDone: String?
    /// Sentences to read before a launch, such as missing credentials.
    let hints: [String]
    let trial: TrialModel?
    let review: ReviewModel?

    init(_ view: CampaignView) {
        let campaign = view.campaign
        let page = "\(view.base)/\(campaign.id)"
        let isDraft = campaign.status == .draft
        let mayCompose = view.rights.contains(.compose)
        name = campaign.draft.name
        kind = campaign.draft.kind.words
        listAddress = view.base
        liveAddress = isDraft || view.standing.isOver ? nil : "\(page)/live"
        fileAddress = campaign.launchedAt == nil ? nil : "\(page)/counts.csv"
        askAddress = campaign.launchedAt == nil ? nil : "\(page)/person"
        editAddress = (isDraft || campaign.isMessageThatGoesOn) && mayCompose ? "\(page)/edit" : nil
        editTitle = isDraft ? "Edit" : "Change"
        duplicateAddress = mayCompose ? "\(page)/duplicate" : nil
        reachAddress = isDraft ? "\(page)/reach" : nil
        rehearsalAddress = "\(page)/rehearsals"
        trialAddress = isDraft ? "\(page)/dry-run" : nil
        testAddress = isDraft && mayCompose ? "\(page)/test" : nil
        testDevice = view.testDevice
        tests = view.tests
        state = CampaignStateModel(view)
        funnel = isDraft ? nil : CampaignFunnel(view.standing, page: page, zone: view.zone)
        hours = campaign.launchedAt == nil ? nil : CampaignHoursModel(view.hours, zone: view.zone)
        beside = LaunchComparisonModel(view.rehearsed, view.standing, page: page, zone: view.zone)
        zoneName = view.zone.name
        phones = view.sample.map { PhoneModel.both($0, appName: view.appName) } ?? []
        pages = PhonePage.all(campaign.draft, page: page)
        sampleProblem = view.sampleProblem
        hasPhones = !phones.isEmpty || !pages.isEmpty || sampleProblem != nil
        placedAddress = campaign.draft.kind.keepsMessage && !isDraft ? "\(page)/messages" : nil
        facts = Self.facts(campaign, zone: view.zone)
        formToken = view.formToken
        formKey = view.formKey
        notDone = view.problem
        let remark = isDraft ? view.launchTime?.remark(zone: view.zone) : nil
        hints = view.isLaunchRejected ? [] : [Self.hint(view), remark].compactMap(\.self)
        trial = view.trial
        review = view.review.map { ReviewModel($0, formToken: view.formToken) }
    }

    /// Why the campaign cannot be launched now; nil where nothing prevents it.
    private static func hint(_ view: CampaignView) -> String? {
        if view.campaign.status == .draft, view.review?.lacksApproval == true {
            return
                "This app requires an approval: a person who did not edit this version approves it after a rehearsal. Then it can be launched."
        }
        return lackOfCredentials(view)
    }

    /// A sentence if the app lacks push credentials that this campaign needs; otherwise nil.
    static func lackOfCredentials(_ view: CampaignView) -> String? {
        let kind = view.campaign.draft.kind
        guard view.launchTime != nil, !view.hasCredentials, !kind.isInApp, kind != .messageCenter else { return nil }
        let step = view.campaign.status == .draft ? "launched" : "resumed"
        return
            "No push service is set up for this app yet. An admin adds the credentials in the settings; then this can be \(step)."
    }

    private static func languages(_ draft: CampaignDraft) -> [String] {
        var all = Set((draft.push?.variants ?? [:]).keys)
        all.formUnion((draft.messageCenter?.variants ?? [:]).keys)
        all.formUnion((draft.inApp?.variants ?? [:]).keys)
        return all.sorted()
    }

    private static func facts(_ campaign: Campaign, zone: AppZone) -> [Fact] {
        let draft = campaign.draft
        var facts = [Fact("Who", ConditionWords.sentence(draft.audience))]
        let when = CampaignSchedule.sentences(draft.schedule, zone: zone)
        facts.append(Fact("When", when.joined(separator: " ")))
        if let message = draft.inApp { facts += InAppWords.facts(message, zone: zone) }
        if draft.kind.keepsMessage {
            let center = draft.messageCenter?.center ?? MessageCenterName.primary.rawValue
            facts.append(Fact("Kept in", "The message center '\(center.isolated)'."))
        }
        if let link = draft.push?.action?.url { facts.append(Fact("A tap opens", link)) }
        let languages = Self.languages(draft)
        if !languages.isEmpty {
            facts.append(Fact("Also in", languages.prefix(20).joined(separator: ", ")))
        }
        facts.append(Fact("Created", zone.text(campaign.createdAt)))
        if let date = campaign.launchedAt { facts.append(Fact("Launched", zone.text(date))) }
        if let date = campaign.endedAt { facts.append(Fact("Ended", zone.text(date))) }
        if let date = campaign.recalledAt { facts.append(Fact("Recalled", zone.text(date))) }
        return facts
    }
}

extension Campaign {
    /// Whether this is an in-app message that devices may have, and that can be changed in place (IAM-4).
    var isMessageThatGoesOn: Bool {
        draft.kind.isInApp && launchedAt != nil && [.active, .paused].contains(status)
    }
}

/// The result of a test send to one device.
struct TestLine: Sendable {
    let testedDevice: String
    let testSentence: String
}

/// The result of a dry run: what a launch would do now.
struct TrialModel: Sendable {
    let trialSentence: String
    let trialBars: Bars
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
        trialBars = Bars(bars: bars)
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
