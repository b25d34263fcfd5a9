import BelfryModel
import BelfryServerModel

/// The page on which a push is composed. What may be missing in a part has a name that no part around it uses.
struct ComposeModel: Sendable {
    /// A field with what was typed, and what is wrong with it.
    struct Field: Sendable {
        let value: String
        let problem: String?

        init(_ value: String, _ problem: String?) {
            self.value = value
            self.problem = problem
        }
    }

    struct Option: Sendable {
        let value: String
        let words: String
        let isChosen: Bool
    }

    struct Row: Sendable {
        let number: String
        let subjects: [Option]
        let operators: [Option]
        let rowValue: String
        let rowProblem: String?
    }

    /// Rows that are offered at least, and beyond those that are used.
    static let leastRows = 3
    static let spareRows = 2

    let heading: String
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
    let name: Field
    let title: Field
    let body: Field
    let link: Field
    let image: Field
    let badges: [Option]
    let badgeValue: Field
    let modes: [Option]
    let audienceProblem: String?
    let matches: [Option]
    let rows: [Row]
    let opensRows: Bool
    let opensJSON: Bool
    let predicate: Field
    let times: [Option]
    let at: Field
    let zoneName: String
    let isQuiet: Bool
    let quietFrom: Field
    let quietTo: Field
    let quietThens: [Option]
    let attributes: String?

    /// - Parameters:
    ///   - place: where the form goes, and the page that it came from.
    ///   - conflict: whether somebody else has changed the draft since.
    init(
        _ form: ComposeForm, _ problems: ComposeProblems, schema: [String: AttributeType], zone: AppZone,
        place: ComposePlace, conflict: Bool = false
    ) {
        heading = place.campaign == nil ? "Compose a push" : "Edit the draft"
        formAddress = place.formAddress
        previewAddress = "\(place.base)/preview"
        backAddress = place.campaign.map { "\(place.base)/\($0)" } ?? place.base
        formToken = place.formToken
        version = place.version
        campaignID = place.campaign?.description ?? ""
        isConflict = conflict
        conflictAddress = conflict ? backAddress : nil
        refusal = conflict ? nil : Self.refusal(problems)
        name = Field(form.name, problems["name"])
        title = Field(form.title, problems["title"])
        body = Field(form.body, problems["body"])
        link = Field(form.link, problems["link"])
        image = Field(form.image, problems["image"])
        badges = Self.options(Self.badges, chosen: form.badge)
        badgeValue = Field(form.badgeValue, problems["badgeValue"])
        modes = Self.options(Self.modes, chosen: form.audience.mode.rawValue)
        audienceProblem = problems["audience"]
        matches = Self.options(
            [("all", "All of these"), ("any", "At least one of these")], chosen: form.audience.needsAll ? "all" : "any"
        )
        rows = Self.rows(form.audience, problems, schema: schema)
        opensRows = form.audience.mode == .clauses
        opensJSON = form.audience.mode == .json
        predicate = Field(form.audience.json, problems["predicate"])
        times = Self.options(Self.times(zone), chosen: form.when.rawValue)
        at = Field(form.at, problems["at"])
        zoneName = zone.name
        isQuiet = form.isQuiet
        quietFrom = Field(form.quietFrom, problems["quietFrom"])
        quietTo = Field(form.quietTo, problems["quietTo"])
        quietThens = Self.options(
            [("delay", "Wait until they end"), ("suppress", "Do not send it")], chosen: form.quietThen
        )
        attributes = Self.attributes(schema)
    }

    private static let badges: [(String, String)] = [
        ("", "Leave the number as it is"), ("increment", "Add to the number"), ("set", "Set the number"),
        ("clear", "Take the number away"),
    ]

    private static let modes: [(String, String)] = [
        ("everyone", "Everyone"), ("clauses", "By attributes and tags"), ("json", "By a predicate (JSON)"),
    ]

    private static func times(_ zone: AppZone) -> [(String, String)] {
        [
            ("now", "At its launch"), ("at", "At a time in \(zone.name)"),
            ("local", "At a time of each person's own clock"),
        ]
    }

    private static func refusal(_ problems: ComposeProblems) -> String? {
        guard !problems.isEmpty else { return nil }
        let fields = problems.count - problems.others.count
        let attention =
            fields == 0 ? [] : ["\(Figures.count(fields, "field needs", "fields need")) your attention."]
        return (["It was not saved."] + attention + problems.others).joined(separator: " ")
    }

    private static func options(_ all: [(String, String)], chosen: String) -> [Option] {
        all.map { Option(value: $0.0, words: $0.1, isChosen: $0.0 == chosen) }
    }

    private static func rows(
        _ audience: AudienceForm, _ problems: ComposeProblems, schema: [String: AttributeType]
    ) -> [Row] {
        let unused = AudienceForm.Clause(subject: "", op: "==", value: "")
        let used = audience.clauses.reversed().drop { !$0.isUsed && $0.value.isEmpty }.count
        let count = min(AudienceForm.maximumClauses, max(leastRows, used + spareRows))
        let offered = subjects(schema)
        return (0..<count).map { index in
            let clause = index < audience.clauses.count ? audience.clauses[index] : unused
            var known = offered
            // What is no longer defined stays, so that nothing that was chosen is lost.
            if !known.contains(where: { $0.0 == clause.subject }) {
                known.append((clause.subject, "\(clause.subject) (no longer defined)"))
            }
            return Row(
                number: String(index + 1), subjects: options(known, chosen: clause.subject),
                operators: options(AudienceForm.operators.map { ($0.value, $0.words) }, chosen: clause.op),
                rowValue: clause.value, rowProblem: problems["clause\(index)"]
            )
        }
    }

    private static func subjects(_ schema: [String: AttributeType]) -> [(String, String)] {
        [("", "Not used"), ("tag", "A tag")]
            + schema.keys.sorted().map { ("attribute:\($0)", $0) }
            + [
                ("device:platform", "Platform (ios, android, web)"), ("device:appVersion", "App version"),
                ("device:osVersion", "System version"), ("device:locale", "Locale"),
                ("device:timeZone", "Time zone"),
            ]
    }

    /// What texts may show of a person, as templates write it.
    private static func attributes(_ schema: [String: AttributeType]) -> String? {
        guard !schema.isEmpty else { return nil }
        return schema.keys.sorted().prefix(12).map { "{{\($0)}}" }.joined(separator: ", ")
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

/// What the form would send now: a part of its page.
struct ComposePreviewModel: Sendable {
    let phones: [PhoneModel]
    let previewProblem: String?
    let reached: String?
    let unreached: String?

    init(_ push: PushContent, problem: String?, reach: ReachModel, appName: String) {
        phones = PhoneModel.both(push, appName: appName)
        previewProblem = problem
        reached = reach.reached
        unreached = reach.unreached
    }
}
