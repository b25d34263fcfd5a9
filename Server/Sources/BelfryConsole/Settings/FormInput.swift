/// A field of a form as a page shows it: what was typed stays, and what is wrong stands below it. A secret is never
/// shown again.
struct FormInput: Sendable {
    enum Kind: Hashable, Sendable {
        case line
        case number
        case area
        /// Text that people read by its signs: keys, JSON.
        case code
        case password
        case secretArea
        case date
        case choice([Choice])
        case check
    }

    struct Choice: Hashable, Sendable {
        let value: String
        let words: String

        init(_ value: String, _ words: String) {
            self.value = value
            self.words = words
        }
    }

    struct Option: Sendable {
        let optionValue: String
        let optionWords: String
        let isChosen: Bool
    }

    let fieldName: String
    let fieldID: String
    let fieldLabel: String
    let fieldHint: String?
    let fieldProblem: String?
    /// What somebody else has stored meanwhile.
    let fieldStored: String?
    let fieldValue: String
    /// The ids of hint, error and the like, for readers of the page.
    let fieldDescription: String?
    let inputType: String?
    let inputMode: String?
    let autocomplete: String
    let isArea: Bool
    let areaClass: String
    let isChoice: Bool
    let isCheck: Bool
    let isOn: Bool
    let fieldOptions: [Option]

    /// - Parameters:
    ///   - value: what is typed or stored; left out for secrets.
    ///   - part: tells fields of one name in several forms of a page apart.
    init(
        _ name: String, _ kind: Kind = .line, _ label: String, value: String = "", hint: String? = nil,
        problem: String? = nil, stored: String? = nil, part: String = ""
    ) {
        fieldName = name
        fieldID = part.isEmpty ? "f-\(name)" : "f-\(part)-\(name)"
        fieldLabel = label
        fieldHint = hint
        fieldProblem = problem
        fieldStored = stored
        fieldValue = kind.isSecret ? "" : value
        let parts = [(hint, "hint"), (problem, "error"), (stored, "stored")]
        let described = parts.compactMap { [fieldID] in $0.0 == nil ? nil : "\(fieldID)-\($0.1)" }
        fieldDescription = described.isEmpty ? nil : described.joined(separator: " ")
        inputType = kind.inputType
        inputMode = kind == .number ? "numeric" : nil
        autocomplete = kind == .password ? "new-password" : "off"
        isArea = [.area, .code, .secretArea].contains(kind)
        areaClass = kind == .area ? "" : "code"
        isCheck = kind == .check
        isOn = kind == .check && value == Self.on
        if case .choice(let choices) = kind {
            isChoice = true
            fieldOptions = choices.map {
                Option(optionValue: $0.value, optionWords: $0.words, isChosen: $0.value == value)
            }
        } else {
            isChoice = false
            fieldOptions = []
        }
    }

    /// What a box that is ticked sends.
    static let on = "yes"
}

extension FormInput.Kind {
    var isSecret: Bool { self == .password || self == .secretArea }

    fileprivate var inputType: String? {
        switch self {
        case .line, .number: "text"
        case .password: "password"
        case .date: "date"
        case .area, .code, .secretArea, .choice, .check: nil
        }
    }
}
