import Mustache

/// A field of a form, for the template `field`. It keeps what was typed, and its error is below it. A secret is never
/// shown again.
///
/// The type names its values itself (`child(named:)`): a form has about a hundred fields, and reflection of each would
/// take long.
struct FormField: Sendable, MustacheParent {
    enum Kind: Hashable, Sendable {
        case line
        /// A line with another type of HTML's `input`, such as `date` or `time`.
        case typed(String)
        case number
        case area
        /// Several lines of text in which each character matters, such as keys or JSON.
        case code
        case password
        case secretArea
        case choice([FormChoice])
        /// One of several choices, all of them visible.
        case radio([FormChoice])
        /// A checkbox.
        case check
        /// A hidden field.
        case hidden
    }

    /// The value that a checked box sends.
    static let on = "yes"

    let name: String
    let label: String
    let kind: Kind
    let value: String
    let id: String
    let hint: String?
    var problem: String?
    /// The value that somebody else has stored since the form was opened.
    let stored: String?
    /// The value of a box that takes the stored value instead of the typed one; nil: the field has no such box.
    var offer: String?
    /// A further sentence on somebody else's change.
    var meanwhile: String?
    var isRequired = false
    /// Whether each character matters, as in an address or in a name from the app's code.
    var isTechnical = false
    /// Whether the label is only for screen readers, because the position shows what the field is for.
    var isNarrow = false
    /// The id of the `datalist` with suggestions.
    var list: String?
    /// The names of personal values that can be inserted into the text.
    var inserts: FormInserts?
    /// The HTML `autocomplete` value; nil: the browser decides.
    var autocomplete: String?

    /// - Parameters:
    ///   - value: the typed or stored value; ``on`` for a checked box.
    ///   - id: the id of the HTML element.
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

    /// A field of settings. Its text is not prose, and a browser must not fill it in.
    ///
    /// - Parameter part: distinguishes the ids of fields with the same name in several forms of a page.
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

    /// Whether the field shows somebody else's change.
    var isMarked: Bool { stored != nil || meanwhile != nil }

    /// The ids of the elements that describe the field, for `aria-describedby`.
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

    /// A value in words.
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
