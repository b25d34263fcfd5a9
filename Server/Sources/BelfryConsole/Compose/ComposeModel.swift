import BelfryModel
import BelfryServerModel

/// The page on which a campaign is composed.
struct ComposeModel: Sendable {
    /// The link to the form for another kind of campaign.
    struct KindLink: Sendable {
        let kindTitle: String
        let kindAddress: String
        let isCurrent: Bool
    }

    /// A button that saves the form.
    struct Saving: Sendable {
        let savingTitle: String
        let savingValue: String
        let savingStyle: String
        /// The question before saving; nil where saving can be undone.
        let savingQuestion: String?
    }

    let heading: String
    let lead: String
    let savings: [Saving]
    let kindName: String
    let kind: String
    /// Links for a new campaign; a draft keeps its kind.
    let kindLinks: [KindLink]
    let hasKinds: Bool
    let formAddress: String
    let previewAddress: String
    let backAddress: String
    let listAddress: String
    let formToken: String
    let version: String
    let campaignID: String
    /// The number of the version that the form began from; empty where none is kept.
    let number: String
    /// The name of the time zone in which the form shows its times.
    let zoneName: String
    /// The idempotency key of a new campaign's form.
    let key: String
    /// The error of the whole form, or how many fields have errors.
    let formError: String?
    let alert: ComposeAlert?
    let sections: [FormSection]
    /// The subjects of conditions for a `datalist`; empty where a select list can offer them all.
    let subjects: [FormOption]
    let hasSubjects: Bool
    let filterNames: [String]
    let previewFields: [FormField]

    /// - Parameters:
    ///   - place: the form's address and its context.
    ///   - alert: a sentence to read before saving again.
    ///   - marks: the marks of somebody else's changes, by field.
    init(
        _ form: ComposeForm, _ problems: FormProblems, _ basis: ComposeBasis, place: ComposePlace,
        alert: ComposeAlert? = nil, marks: [String: FormMark] = [:]
    ) {
        let fill = FormFill(
            fields: form.fields, problems: problems,
            inserts: FormInserts(basis.attributes + ["contact.key", "device.locale", "device.platform"]), marks: marks
        )
        heading = place.heading ?? Self.heading(form.kind)
        lead = place.lead
        savings = place.savings
        kindName = form.kind.words
        kind = form.kind.rawValue
        kindLinks =
            place.campaign == nil
            ? [CampaignKind.push, .messageCenter, .inApp, .silent].map { offered in
                KindLink(
                    kindTitle: offered.words, kindAddress: "\(place.base)/new?kind=\(offered.rawValue)",
                    isCurrent: offered == form.kind
                )
            } : []
        hasKinds = !kindLinks.isEmpty
        formAddress = place.formAddress
        previewAddress = "\(place.base)/preview"
        backAddress = place.campaign.map { "\(place.base)/\($0)" } ?? place.base
        listAddress = place.base
        formToken = place.formToken
        version = place.version
        campaignID = place.campaign?.description ?? ""
        number = place.number.map { String($0) } ?? ""
        zoneName = basis.zone.name
        key = place.key
        self.alert = alert
        formError = problems.summary
        sections = Self.sections(form.kind, fill, basis, isLaunched: place.launched != nil)
        hasSubjects = basis.schema.count > AudienceSections.maximumOffered
        subjects =
            hasSubjects
            ? FormOption.all(
                AudienceSections(fill: fill, basis: basis).subjects.map { FormChoice($0.0, $0.1) }, chosen: "") : []
        filterNames = DeviceProperty.allCases.map { "device.\($0.rawValue)" }
        previewFields = PreviewSettings.fields(fill, languages: form.kind.isInApp || form.kind != .silent)
    }

    private static func sections(
        _ kind: CampaignKind, _ fill: FormFill, _ basis: ComposeBasis, isLaunched: Bool
    ) -> [FormSection] {
        let audience = AudienceSections(fill: fill, basis: basis).section
        let schedule = ScheduleSections(fill: fill, zone: basis.zone).section
        return switch kind {
        case .push, .pushAndMessageCenter: PushSections(fill: fill, basis: basis).all + [audience, schedule]
        case .messageCenter: CenterSections(fill: fill, basis: basis).all + [audience, schedule]
        case .silent: PushSections(fill: fill, basis: basis).silent + [audience, schedule]
        case .inApp: InAppSections(fill: fill, basis: basis, isLaunched: isLaunched).all + [audience]
        }
    }

    private static func heading(_ kind: CampaignKind) -> String {
        switch kind {
        case .push, .pushAndMessageCenter: "Compose a push"
        case .messageCenter: "Compose a message for a message center"
        case .inApp: "Compose an in-app message"
        case .silent: "Compose a silent push"
        }
    }
}
