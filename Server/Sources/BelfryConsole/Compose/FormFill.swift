import BelfryModel

/// Makes the fields of a form, each with its typed value and its error.
struct FormFill: Sendable {
    let fields: FormFields
    let problems: FormProblems
    /// The names of personal values that texts can insert.
    let inserts: FormInserts?
    /// The marks of somebody else's changes, by field name as in ``problems``.
    var marks: [String: FormMark] = [:]

    func line(
        _ name: String, _ label: String, hint: String? = nil, type: String = "", row: Int? = nil, list: String? = nil,
        isTechnical: Bool = false, isRequired: Bool = false, inserts hasInserts: Bool = false
    ) -> FormField {
        var field = field(name, label, type.isEmpty ? .line : .typed(type), hint: hint, row: row)
        field.list = list
        field.isTechnical = isTechnical
        field.isRequired = isRequired
        field.inserts = hasInserts ? inserts : nil
        return field
    }

    func area(
        _ name: String, _ label: String, hint: String? = nil, row: Int? = nil, isCode: Bool = false,
        isRequired: Bool = false, inserts hasInserts: Bool = false
    ) -> FormField {
        var field = field(name, label, isCode ? .code : .area, hint: hint, row: row)
        field.isRequired = isRequired
        field.inserts = hasInserts ? inserts : nil
        return field
    }

    func select(
        _ name: String, _ label: String, _ options: [(String, String)], hint: String? = nil, row: Int? = nil
    ) -> FormField {
        field(name, label, .choice(options.map { FormChoice($0.0, $0.1) }), hint: hint, row: row)
    }

    func choice(_ name: String, _ label: String, _ options: [(String, String)], hint: String? = nil) -> FormField {
        field(name, label, .radio(options.map { FormChoice($0.0, $0.1) }), hint: hint, row: nil)
    }

    func check(_ name: String, _ label: String, hint: String? = nil) -> FormField {
        field(name, label, .check, hint: hint, row: nil, value: fields.contains(name) ? FormField.on : "")
    }

    func hidden(_ name: String, row: Int? = nil, value: String? = nil) -> FormField {
        field(name, "", .hidden, hint: nil, row: row, value: value)
    }

    /// The places of the rows that a form shows: the used ones and some empty ones.
    func places(_ rows: FormRows, spare: Int) -> Range<Int> {
        let used = (rows.used(fields).last?.place ?? -1) + 1
        return 0..<min(rows.maximum, used + spare)
    }

    /// The field for default values, which replace attributes that a person lacks.
    func defaults(_ name: String = "defaults", fold: String = "When a value is missing") -> FormBlock {
        FormBlock(
            [
                area(
                    name, "Values for people who lack one",
                    hint: "A line each, such as: city = your town. Without one, who lacks it gets nothing."
                )
            ], fold: fold, isOpen: !fields[name].isEmpty
        )
    }

    /// The name of a campaign.
    var campaignName: FormField {
        line("name", "Name", hint: "For you and your team; nobody else sees it.", isRequired: true)
    }

    /// The fields for the change of the number on the app's icon.
    var badge: [FormField] {
        [
            select(
                "badge", "Number on the icon",
                [
                    ("", "Leave the number as it is"), ("increment", "Add to the number"), ("set", "Set the number"),
                    ("clear", "Take the number away"),
                ]
            ),
            line("badgeValue", "By how much, or to what", hint: "Empty: add 1."),
        ]
    }

    /// The title of the folded section with the texts of a language.
    ///
    /// - Parameter name: the field with the language.
    func languageTitle(_ name: String, _ place: Int) -> String {
        let locale = value(name, place)
        return locale.showsNothing ? "One more language" : "Language \(locale)"
    }

    /// - Parameter value: the field's value; nil: the typed one.
    private func field(
        _ name: String, _ label: String, _ kind: FormField.Kind, hint: String?, row: Int?, value: String? = nil
    ) -> FormField {
        let place = row.map { "\(name).\($0)" } ?? name
        let mark = marks[place]
        var field = FormField(
            name, kind, label, value: value ?? self.value(name, row), id: row.map { "\(name)-\($0)" } ?? name,
            hint: hint, problem: problems[place], stored: mark?.value.map { kind.words(of: $0) }
        )
        field.offer = mark?.offer
        field.meanwhile = mark?.sentence
        return field
    }

    private func value(_ name: String, _ row: Int?) -> String {
        guard let row else { return fields[name] }
        let all = fields.all(name)
        return all.indices.contains(row) ? all[row] : ""
    }
}
