import BelfryModel
import BelfryServerModel

/// The page on which a campaign is composed.
struct ComposeModel: Sendable {
    /// The way to the form of another kind.
    struct KindLink: Sendable {
        let kindTitle: String
        let kindAddress: String
        let isCurrent: Bool
    }

    let heading: String
    let kindName: String
    let kind: String
    /// For a new campaign; a draft keeps its kind.
    let kindLinks: [KindLink]
    let hasKinds: Bool
    let formAddress: String
    let previewAddress: String
    let backAddress: String
    let formToken: String
    let version: String
    let campaignID: String
    /// What is wrong with the whole, or how many fields are to be looked at.
    let refusal: String?
    let isConflict: Bool
    let conflictAddress: String?
    let sections: [FormSection]
    /// What conditions may ask for, where a list would be too long.
    let subjects: [FormOption]
    let hasSubjects: Bool
    let filterNames: [String]
    let previewFields: [FormField]

    /// - Parameters:
    ///   - place: where the form goes, and the page that it came from.
    ///   - conflict: whether somebody else has changed the draft since.
    init(
        _ form: ComposeForm, _ problems: ComposeProblems, _ basis: ComposeBasis, place: ComposePlace,
        conflict: Bool = false
    ) {
        let fill = FormFill(
            fields: form.fields, problems: problems,
            inserts: FormInserts(basis.attributes + ["contact.key", "device.locale", "device.platform"])
        )
        heading = place.campaign == nil ? Self.heading(form.kind) : "Edit the draft"
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
        formToken = place.formToken
        version = place.version
        campaignID = place.campaign?.description ?? ""
        isConflict = conflict
        conflictAddress = conflict ? backAddress : nil
        refusal = conflict ? nil : Self.refusal(problems)
        sections = Self.sections(form.kind, fill, basis)
        hasSubjects = basis.schema.count > AudienceSections.maximumOffered
        subjects = hasSubjects ? FormOption.all(AudienceSections(fill: fill, basis: basis).subjects, chosen: "") : []
        filterNames = DeviceProperty.allCases.map { "device.\($0.rawValue)" }
        previewFields = PreviewSettings.fields(fill, languages: form.kind.isInApp || form.kind != .silent)
    }

    private static func sections(_ kind: CampaignKind, _ fill: FormFill, _ basis: ComposeBasis) -> [FormSection] {
        let audience = AudienceSections(fill: fill, basis: basis).section
        let schedule = ScheduleSections(fill: fill, zone: basis.zone).section
        return switch kind {
        case .push, .pushAndMessageCenter: PushSections(fill: fill, basis: basis).all + [audience, schedule]
        case .messageCenter: CenterSections(fill: fill, basis: basis).all + [audience, schedule]
        case .silent: PushSections(fill: fill, basis: basis).silent + [audience, schedule]
        case .inApp: InAppSections(fill: fill, basis: basis).all + [audience]
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

    private static func refusal(_ problems: ComposeProblems) -> String? {
        guard !problems.isEmpty else { return nil }
        let fields = problems.count - problems.others.count
        let attention =
            fields == 0 ? [] : ["\(Figures.count(fields, "field needs", "fields need")) your attention."]
        return (["It was not saved."] + attention + problems.others).joined(separator: " ")
    }

    /// The line that unfolds the texts of a language.
    static func languageTitle(_ locales: [String], _ place: Int) -> String {
        let locale = locales.indices.contains(place) ? locales[place] : ""
        return locale.showsNothing ? "One more language" : "Language \(locale)"
    }
}

/// Which form it is.
struct ComposePlace: Sendable {
    /// The address of the list of campaigns.
    let base: String
    /// The draft that is edited; nil for a new one.
    let campaign: CampaignID?
    /// What the editor began from; empty for a new one.
    let version: String
    let formToken: String

    var formAddress: String { campaign.map { "\(base)/\($0)/edit" } ?? "\(base)/new" }
}
