import BelfryModel

/// Makes the fields of a form: each with what was typed and what is wrong with it.
struct FormFill: Sendable {
    let fields: FormFields
    let problems: ComposeProblems
    /// What texts may show of a person.
    let inserts: FormInserts?

    func line(
        _ name: String, _ label: String, hint: String? = nil, type: String = "", row: Int? = nil, list: String? = nil,
        isTechnical: Bool = false, isRequired: Bool = false, inserts hasInserts: Bool = false
    ) -> FormField {
        var field = field(name, label, .input(type: type), hint: hint, row: row)
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
        var field = field(name, label, .area(isCode: isCode), hint: hint, row: row)
        field.isRequired = isRequired
        field.inserts = hasInserts ? inserts : nil
        return field
    }

    func select(
        _ name: String, _ label: String, _ options: [(String, String)], hint: String? = nil, row: Int? = nil
    ) -> FormField {
        field(name, label, .select(FormOption.all(options, chosen: value(name, row))), hint: hint, row: row)
    }

    func choice(_ name: String, _ label: String, _ options: [(String, String)], hint: String? = nil) -> FormField {
        field(name, label, .choice(FormOption.all(options, chosen: value(name, nil))), hint: hint, row: nil)
    }

    func check(_ name: String, _ label: String, hint: String? = nil) -> FormField {
        field(name, label, .check(isChosen: fields.contains(name)), hint: hint, row: nil)
    }

    func hidden(_ name: String, row: Int? = nil, value: String? = nil) -> FormField {
        var field = field(name, "", .hidden, hint: nil, row: row)
        if let value { field.value = value }
        return field
    }

    /// The rows of a form to show: those that are used, and some more to fill in.
    func places(_ rows: FormRows, spare: Int) -> Range<Int> {
        let used = (rows.used(fields).last?.place ?? -1) + 1
        return 0..<min(rows.maximum, used + spare)
    }

    /// What stands in for values that people lack.
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

    private func field(
        _ name: String, _ label: String, _ kind: FormField.Kind, hint: String?, row: Int?
    ) -> FormField {
        var field = FormField(name, label, kind, row: row)
        field.value = value(name, row)
        field.hint = hint
        field.problem = problems[row.map { "\(name).\($0)" } ?? name]
        return field
    }

    private func value(_ name: String, _ row: Int?) -> String {
        guard let row else { return fields[name] }
        let all = fields.all(name)
        return all.indices.contains(row) ? all[row] : ""
    }
}
