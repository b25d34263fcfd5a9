/// The names of personal values that the text of a field can insert.
struct FormInserts: Sendable {
    /// The number of names that a field offers; others are typed.
    static let maximum = 40

    let insertNames: [String]
    /// A phrase with the number of further names.
    let insertRest: String?

    init(_ names: [String]) {
        insertNames = names.prefix(Self.maximum).map { "{{\($0)}}" }
        let rest = names.count - insertNames.count
        insertRest = rest > 0 ? "and \(Figures.count(rest, "more attribute", "more attributes"))" : nil
    }
}

/// Fields that belong together: beside or below each other, in a box of their own, or folded until they are opened.
struct FormBlock: Sendable {
    enum Look: String, Sendable {
        case stacked = "stack"
        case two = "fields-2"
        case three = "fields-3"
    }

    let blockClass: String
    let fields: [FormField]
    /// The legend of the box around the fields; nil: no box.
    let blockLegend: String?
    let blockHint: String?
    let blockProblem: String?
    /// The title that unfolds the block; nil: it is always open.
    let foldTitle: String?
    let isOpen: Bool

    init(
        _ fields: [FormField], legend: String? = nil, hint: String? = nil, problem: String? = nil, fold: String? = nil,
        isOpen: Bool = false
    ) {
        self.init(.stacked, fields, legend: legend, hint: hint, problem: problem, fold: fold, isOpen: isOpen)
    }

    init(
        _ look: Look, _ fields: [FormField], legend: String? = nil, hint: String? = nil,
        problem: String? = nil, fold: String? = nil, isOpen: Bool = false
    ) {
        blockClass = look.rawValue
        self.fields = fields
        blockLegend = legend
        blockHint = hint
        blockProblem = problem
        foldTitle = fold
        self.isOpen = isOpen || problem != nil || fields.contains { $0.problem != nil || $0.isMarked }
    }
}

/// A section of a form with its heading.
struct FormSection: Sendable {
    let sectionID: String
    let heading: String
    let sectionHint: String?
    let blocks: [FormBlock]

    init(_ id: String, _ heading: String, hint: String? = nil, _ blocks: [FormBlock]) {
        sectionID = id
        self.heading = heading
        sectionHint = hint
        self.blocks = blocks
    }
}
