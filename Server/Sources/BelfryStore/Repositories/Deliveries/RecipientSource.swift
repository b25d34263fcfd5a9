/// The tables and columns from which the values of a campaign's templates are read, beside `devices d`.
struct RecipientSource {
    /// One column for each value.
    let columns: [SQLText]
    let joins: SQLFragment
}

extension SQLConnection {
    /// - Parameters:
    ///   - hasAudience: whether the audience table is already joined under the name `a`.
    ///   - isChosen: what else holds for its rows, behind other conditions (``Batch/alsoHolds(_:_:)``).
    func recipientSource(
        of values: [RecipientValue], app: Int64, hasAudience: Bool = false, where isChosen: SQLFragment = ""
    ) throws -> RecipientSource {
        RecipientSource(
            of: values, in: try attributes.columns(app: app), hasAudience: hasAudience,
            joinsContacts: !dialect.isDistributed, where: isChosen
        )
    }
}

extension RecipientSource {
    /// - Parameters:
    ///   - hasAudience: whether the audience table is already joined under the name `a`.
    ///   - joinsContacts: false if contacts are on other servers (FLEET-5): then their values are null.
    ///   - isChosen: what else holds for rows of the audience table, behind other conditions.
    init(
        of values: [RecipientValue], in audience: AudienceColumns, hasAudience: Bool = false, joinsContacts: Bool,
        where isChosen: SQLFragment = ""
    ) {
        var joins: [SQLFragment] = []
        if !hasAudience, values.contains(where: \.isAttribute) {
            joins.append("LEFT JOIN \(audience.table) a ON a.device_id = d.id\(isChosen)")
        }
        if joinsContacts, values.contains(where: \.isOfContactRow) {
            joins.append("LEFT JOIN contacts c ON c.id = d.contact_id")
        }
        columns = values.map { value -> SQLText in
            switch value {
            // A removed attribute has no value.
            case .attribute(let name): audience.text(of: name) ?? "NULL"
            case .device(let property): "d.\(property.column)"
            case .contactKey: joinsContacts ? "c.contact_key" : "NULL"
            case .party(let part): joinsContacts ? "c.\(part.column)" : "NULL"
            }
        }
        self.joins = SQLFragment(joins.map(\.sql).joined(by: " "), joins.flatMap(\.arguments))
    }
}

extension RecipientValue {
    fileprivate var isAttribute: Bool {
        if case .attribute = self { true } else { false }
    }

    /// Whether the value is in the contact's own row.
    var isOfContactRow: Bool { contactColumn != nil }

    /// Its column there; nil if it is elsewhere.
    var contactColumn: SQLText? {
        switch self {
        case .contactKey: "contact_key"
        case .party(let part): part.column
        case .attribute, .device: nil
        }
    }
}
