import Mustache

/// A field of a form as a page shows it, by the template `field`: what was typed stays, and what is wrong stands below it.
/// A secret is never shown again.
///
/// It names its parts itself: a form has some hundred fields, and a reflection of each would take long.
struct FormField: Sendable, MustacheParent {
    enum Kind: Hashable, Sendable {
        case line
        /// A line of another type of HTML's `input`: `date`, `time` …
        case typed(String)
        case number
        case area
        /// Text that people read by its signs: keys, JSON.
        case code
        case password
        case secretArea
        case choice([FormChoice])
        /// One of some, all of them in sight.
        case radio([FormChoice])
        /// A box that is checked or not.
        case check
        /// What nobody sees.
        case hidden
    }

    /// What a box that is ticked sends.
    static let on = "yes"

    let name: String
    let label: String
    let kind: Kind
    let value: String
    let id: String
    let hint: String?
    var problem: String?
    /// What somebody else has stored meanwhile.
    let stored: String?
    /// What the form sends where that is to stand instead of what was typed; nil: this field does not offer it.
    var offer: String?
    /// What else there is to say of somebody else's change.
    var meanwhile: String?
    var isRequired = false
    /// Whether it is read letter by letter: an address, a name of the app's.
    var isTechnical = false
    /// Whether its label is for those alone who do not see where it stands.
    var isNarrow = false
    /// The `datalist` with what might stand in it.
    var list: String?
    /// Names that templates know, to be put in.
    var inserts: FormInserts?
    /// What a browser may fill in; nil: as it likes.
    var autocomplete: String?

    /// - Parameters:
    ///   - value: what is typed or stored; of a box that is ticked ``on``.
    ///   - id: of the element in its page.
    init(
        _ name: String, _ kind: Kind, _ label: String, value: String, id: String, hint: String? = nil,
        problem: String? = nil, stored: String? = nil
    ) {
        self.name = name
        self.label = label
        self.kind = kind
        self.value = kind.isSecret ? "" : value
        self.id = id
        self.hint = hint
        self.problem = problem
        self.stored = stored
    }

    /// One of settings: nothing in it is a sentence, and a browser fills nothing in.
    ///
    /// - Parameter part: tells fields of one name in several forms of a page apart.
    init(
        _ name: String, _ kind: Kind = .line, _ label: String, value: String = "", hint: String? = nil,
        problem: String? = nil, stored: String? = nil, part: String = ""
    ) {
        self.init(
            name, kind, label, value: value, id: part.isEmpty ? "f-\(name)" : "f-\(part)-\(name)", hint: hint,
            problem: problem, stored: stored
        )
        isTechnical = true
        autocomplete = kind == .password ? "new-password" : "off"
    }

    /// Whether it tells of somebody else's change.
    var isMarked: Bool { stored != nil || meanwhile != nil }

    /// What describes it, by the ids.
    private var description: String? {
        let parts = [(hint, "hint"), (problem, "error"), (stored, "stored"), (meanwhile, "meanwhile")]
        let ids = parts.compactMap { $0.0 == nil ? nil : "\(id)-\($0.1)" }
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
        case "fieldStored": stored
        case "fieldOffer": offer
        case "fieldMeanwhile": meanwhile
        case "fieldDescription": description
        case "isRequired": isRequired
        case "isTechnical": isTechnical
        case "isNarrow": isNarrow
        case "fieldList": list
        case "fieldInserts": inserts
        case "autocomplete": autocomplete
        default: childOfKind(part)
        }
    }

    private func childOfKind(_ part: String) -> Any? {
        switch (part, kind) {
        case ("isInput", .line), ("isInput", .typed), ("isInput", .number), ("isInput", .password),
            ("isArea", .area), ("isArea", .code), ("isArea", .secretArea), ("isSelect", .choice),
            ("isRadio", .radio), ("isCheck", .check), ("isHidden", .hidden):
            true
        case ("inputType", .typed(let type)): type
        case ("inputType", .password): "password"
        case ("inputMode", .number): "numeric"
        case ("isCode", .code), ("isCode", .secretArea): true
        case ("isChecked", .check): value == Self.on
        case ("options", .choice(let choices)), ("options", .radio(let choices)):
            FormOption.all(choices, chosen: value)
        default: nil
        }
    }
}

extension FormField.Kind {
    var isSecret: Bool { self == .password || self == .secretArea }

    /// A value as people read it.
    func words(of value: String) -> String {
        switch self {
        case .check: return value == FormField.on ? "on" : "off"
        case .choice(let choices), .radio(let choices):
            if let words = choices.first(where: { $0.value == value })?.words { return words }
        default: break
        }
        return value.isEmpty ? "nothing" : value
    }
}
