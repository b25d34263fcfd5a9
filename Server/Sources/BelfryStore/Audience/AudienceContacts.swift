import BelfryModel

/// Which contacts the devices of a statement have, as far as it is worth saying (FLEET-5).
///
/// Where several servers hold the database, contacts are on others than devices, and no statement joins the two. So a
/// condition about a contact lists the contacts that fulfil it, and each server with devices gets the list. A tag may have
/// any number of contacts, hence the limit to those that matter.
enum AudienceContacts: Hashable, Sendable {
    /// So many that the list is read as a whole.
    case any
    /// Those of few devices: they are listed first.
    case ofDevices
    /// That of the one device; nil if it has none.
    case one(Int64?)

    /// The most devices of a range whose contacts are listed. A campaign is planned by ranges that are smaller.
    static let maximumDevices: Int64 = 1 << 16
}

extension AudienceScope {
    /// The condition that a device's contact is among those that a query finds.
    ///
    /// - Parameters:
    ///   - column: the contact's number in the query.
    ///   - rows: what follows `FROM`, with a condition at its end.
    func hasContact(_ column: SQLText, in rows: SQLFragment) -> SQLFragment {
        let ofThese: SQLFragment =
            switch contacts {
            case .any: ""
            case .ofDevices: " AND \(column) IN (SELECT a.contact_id FROM \(source) WHERE \(condition))"
            case .one(let contact): " AND \(column) = \(bind: .optional(contact))"
            }
        return "a.contact_id IN (SELECT \(column) FROM \(rows)\(ofThese))"
    }
}

extension AudienceSQL {
    /// The conditions of ``AudienceSQL`` about a contact's rows, as lists.
    func listed(tag: String, _ scope: AudienceScope) -> SQLFragment {
        scope.hasContact("t.contact_id", in: "contact_tags t WHERE t.tag = \(bind: .composed(tag))")
    }

    /// Few contacts have a party identifier, and no comparison but that with nothing holds for those that have none.
    func listed(_ part: PartyPart, _ comparison: Comparison, _ scope: AudienceScope) -> SQLFragment {
        let text: SQLFragment = "c.\(part.column)"
        let named: SQLFragment =
            "contacts c WHERE c.app_id = \(bind: .integer(columns.app)) AND \(text) IS NOT NULL"
        guard comparison != .exists(false) else { return scope.hasContact("c.id", in: named).negated }
        let fulfils = ComparisonSQL(text: text, number: dialect.number(readFrom: text), dialect: dialect)
            .compile(comparison)
        return scope.hasContact("c.id", in: "\(named) AND (\(fulfils))")
    }
}
