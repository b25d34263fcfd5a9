/// The tables and columns from which the values of a campaign's templates are read, beside `devices d`.
struct RecipientSource {
    /// One column for each value.
    let columns: [SQLText]
    let joins: SQLText
}

extension SQLConnection {
    /// - Parameter hasAudience: whether the audience table is already joined under the name `a`.
    func recipientSource(
        of values: [RecipientValue], app: Int64, hasAudience: Bool = false
    ) throws -> RecipientSource {
        RecipientSource(
            of: values, in: try attributes.columns(app: app), hasAudience: hasAudience,
            joinsContacts: !dialect.isDistributed
        )
    }
}

extension RecipientSource {
    /// - Parameters:
    ///   - hasAudience: whether the audience table is already joined under the name `a`.
    ///   - joinsContacts: false if contacts are on other servers (FLEET-5): then their values are null.
    init(
        of values: [RecipientValue], in audience: AudienceColumns, hasAudience: Bool = false, joinsContacts: Bool
    ) {
        var joins: [SQLText] = []
        if !hasAudience, values.contains(where: \.isAttribute) {
            joins.append("LEFT JOIN \(audience.table) a ON a.device_id = d.id")
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
        self.joins = joins.joined(by: " ")
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
