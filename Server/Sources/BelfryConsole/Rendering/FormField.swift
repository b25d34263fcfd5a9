import Mustache

/// A field of a form with its label, its hint, what was typed and what is wrong with it, by the template `compose-field`.
///
/// It names its parts itself: a form has some hundred fields, and a reflection of each would take long.
struct FormField: Sendable, MustacheParent {
    enum Kind: Sendable {
        /// - Parameter type: of HTML's `input`; empty: a text.
        case input(type: String)
        case area(isCode: Bool)
        case select([FormOption])
        /// A box that is checked or not.
        case check(isChosen: Bool)
        /// One of some, all of them in sight.
        case choice([FormOption])
        /// What nobody sees.
        case hidden
    }

    let name: String
    let label: String
    let kind: Kind
    var value = ""
    var id: String
    var hint: String?
    var problem: String?
    var isRequired = false
    /// Whether it is read letter by letter: an address, a name of the app's.
    var isTechnical = false
    /// Whether its label is for those alone who do not see where it stands.
    var isNarrow = false
    /// The `datalist` with what might stand in it.
    var list: String?
    /// Names that templates know, to be put in.
    var inserts: FormInserts?

    init(_ name: String, _ label: String, _ kind: Kind = .input(type: ""), row: Int? = nil) {
        self.name = name
        self.label = label
        self.kind = kind
        id = row.map { "\(name)-\($0)" } ?? name
    }

    /// What describes it, by the ids.
    private var description: String? {
        let ids = [hint == nil ? nil : "\(id)-hint", problem == nil ? nil : "\(id)-error"].compactMap(\.self)
        return ids.isEmpty ? nil : ids.joined(separator: " ")
    }

    func child(named part: String) -> Any? {
        switch part {
        case "fieldID": id
        case "fieldName": name
        case "fieldLabel": label
        case "fieldValue": value
        case "fieldHint": hint
        case "fieldProblem": problem
        case "fieldDescription": description
        case "isRequired": isRequired
        case "isTechnical": isTechnical
        case "isNarrow": isNarrow
        case "fieldList": list
        case "fieldInserts": inserts
        default: childOfKind(part)
        }
    }

    private func childOfKind(_ part: String) -> Any? {
        switch (part, kind) {
        case ("isInput", .input), ("isArea", .area), ("isSelect", .select), ("isCheck", .check),
            ("isChoice", .choice), ("isHidden", .hidden):
            true
        case ("inputType", .input(let type)): type.isEmpty ? nil : type
        case ("isCode", .area(let isCode)): isCode
        case ("isChecked", .check(let isChosen)): isChosen
        case ("options", .select(let options)), ("options", .choice(let options)): options
        default: nil
        }
    }
}

/// Something to choose.
struct FormOption: Sendable, MustacheParent {
    let value: String
    let words: String
    let isChosen: Bool

    func child(named part: String) -> Any? {
        switch part {
        case "value": value
        case "words": words
        case "isChosen": isChosen
        default: nil
        }
    }

    /// What stands in the field stays a choice of its own, even if it is offered no more.
    static func all(_ offered: [(String, String)], chosen: String) -> [FormOption] {
        var offered = offered
        if !chosen.isEmpty, !offered.contains(where: { $0.0 == chosen }) {
            offered.append((chosen, "\(chosen) (no longer offered)"))
        }
        return offered.map { FormOption(value: $0.0, words: $0.1, isChosen: $0.0 == chosen) }
    }
}

/// Names that a text of a field may show of a person.
struct FormInserts: Sendable {
    /// Names that a field offers; the others are written by hand.
    static let maximum = 40

    let insertNames: [String]
    /// How many more there are, in words.
    let insertRest: String?

    init(_ names: [String]) {
        insertNames = names.prefix(Self.maximum).map { "{{\($0)}}" }
        let rest = names.count - insertNames.count
        insertRest = rest > 0 ? "and \(Figures.count(rest, "more attribute", "more attributes"))" : nil
    }
}

/// Fields that belong together: beside or below one another, in a box of their own, or folded until they are wanted.
struct FormBlock: Sendable {
    enum Look: String, Sendable {
        case stacked = "stack"
        case two = "fields-2"
        case three = "fields-3"
    }

    let blockClass: String
    let fields: [FormField]
    /// What the fields are about, for a box of its own.
    let blockLegend: String?
    let blockHint: String?
    let blockProblem: String?
    /// The line that unfolds it; nil: it is always open.
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
        self.isOpen = isOpen || problem != nil || fields.contains { $0.problem != nil }
    }
}

/// A part of a form with its heading.
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
