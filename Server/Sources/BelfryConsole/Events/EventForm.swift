import BelfryModel
import BelfryServices
import Foundation

/// The search for events: by person or device, name, time and attributes (EVT-7).
struct EventForm: Hashable, Sendable {
    /// The number of attributes that a search can compare.
    static let maximumAttributes = 5
    /// The number of bytes that are read of a field.
    private static let maximumLength = 512

    struct Attribute: Hashable, Sendable {
        let name: String
        let value: String
    }

    /// The contact by its number, as links name people.
    let person: PersonReference?
    /// A contact key or a device id.
    let whose: String
    let name: String
    /// The start of the time range, as the text of an HTML date and time field.
    let from: String
    let to: String
    let attributes: [Attribute]

    init(_ query: FormFields) {
        func text(_ text: String) -> String { String(decoding: text.utf8.prefix(Self.maximumLength), as: UTF8.self) }
        let number: Int64? = WholeNumber.read(query["person"])
        person = number.map { .number($0) }
        whose = text(query["of"]).trimmed
        name = text(query["name"])
        from = text(query["from"])
        to = text(query["to"])
        let values = query.all("attributeValue")
        attributes = query.all("attributeName").prefix(Self.maximumAttributes).enumerated().map { index, name in
            Attribute(name: text(name), value: values.indices.contains(index) ? text(values[index]) : "")
        }.filter { !$0.name.isEmpty || !$0.value.isEmpty }
    }

    /// Whether the search has a condition other than the person or device.
    var isFiltered: Bool { !name.isEmpty || !from.isEmpty || !to.isEmpty || !attributes.isEmpty }

    /// - Throws: ``FormProblems`` with the error of each field.
    func filter(_ zone: AppZone) throws(FormProblems) -> EventFilter {
        var (filter, problems) = (EventFilter(), FormProblems())
        if !name.isEmpty {
            do throws(ValueError) {
                filter.name = try EventName(name)
            } catch {
                problems.add("name", error.message)
            }
        }
        for (field, text) in [("from", from), ("to", to)] where !text.isEmpty && zone.date(text) == nil {
            problems.add(field, "Enter a day and a time, such as 2026-12-01T18:00.")
        }
        filter.from = zone.date(from)
        filter.to = zone.date(to)
        if let first = filter.from, let end = filter.to, first >= end {
            problems.add("to", "It must be later than the first moment.")
        }
        if attributes.contains(where: \.name.isEmpty) {
            problems.add("attributeName", "Name the attribute that has this value.")
        }
        filter.attributes = attributes.map { EventFilter.Attribute(name: $0.name, value: $0.value) }
        try problems.reject()
        return filter
    }

    /// The address of this search's results, from an event on.
    func address(below page: String, from cursor: String? = nil) -> String {
        var fields: [(name: String, value: String)] = []
        if case .number(let number)? = person { fields.append(("person", String(number))) }
        fields += [("of", person == nil ? whose : ""), ("name", name), ("from", from), ("to", to)].filter {
            !$0.1.isEmpty
        }
        fields += attributes.flatMap { [("attributeName", $0.name), ("attributeValue", $0.value)] }
        if let cursor { fields.append(("cursor", cursor)) }
        let query = fields.map { "\($0.name)=\(WireURL.encoded($0.value))" }.joined(separator: "&")
        return query.isEmpty ? page : "\(page)?\(query)"
    }

    /// - Parameter whose: the name of the person or device.
    func fields(whose: String, _ problems: FormProblems) -> [FormField] {
        [
            FormField(
                "of", .line, "Person or device", value: whose, hint: "A contact key or a device id. Empty: everybody.",
                problem: problems["of"]
            ),
            FormField(
                "name", .line, "Name of the event", value: name, hint: "The whole name, such as purchase.",
                problem: problems["name"]
            ),
            FormField(
                "from", .typed("datetime-local"), "From", value: from, hint: "By the app's clock.",
                problem: problems["from"]
            ),
            FormField(
                "to", .typed("datetime-local"), "Before", value: to, hint: "This moment is not included.",
                problem: problems["to"]
            ),
        ]
    }

    /// The fields of all attributes that are filled in, and of one empty attribute while there are fewer than the
    /// maximum.
    func attributeFields(_ problems: FormProblems) -> [FormField] {
        let rows = attributes + (attributes.count < Self.maximumAttributes ? [Attribute(name: "", value: "")] : [])
        return rows.enumerated().flatMap { index, row in
            let number = rows.count > 1 ? " \(index + 1)" : ""
            return [
                FormField(
                    "attributeName", .line, "Attribute\(number)", value: row.name,
                    problem: row.name.isEmpty && !row.value.isEmpty ? problems["attributeName"] : nil,
                    part: "\(index + 1)"
                ),
                FormField(
                    "attributeValue", .line, "Its value\(number)", value: row.value,
                    hint: index == 0 ? "Numbers are compared as numbers, everything else letter by letter." : nil,
                    part: "\(index + 1)"
                ),
            ]
        }
    }
}
