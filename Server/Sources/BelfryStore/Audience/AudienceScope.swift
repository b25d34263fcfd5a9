/// The devices that a statement reads, with their rows of the audience table as `a`. For predicates that use openings,
/// the rows have the additional column `opened_at`.
struct AudienceScope: Sendable {
    let source: SQLFragment
    let condition: SQLFragment
    /// Which contacts the devices have; only a distributed database is asked about them.
    var contacts = AudienceContacts.any

    static func device(
        _ device: Int64, of app: Int64, withOpenings: Bool, contacts: AudienceContacts = .any
    ) -> AudienceScope {
        AudienceScope(
            source: rows(device...device, of: app, withOpenings: withOpenings),
            condition: "a.device_id = \(bind: .integer(device))", contacts: contacts
        )
    }

    /// All devices of an app, without a bound, so that an engine may use any index.
    static func all(of app: Int64, withOpenings: Bool) -> AudienceScope {
        AudienceScope(source: rows(nil, of: app, withOpenings: withOpenings), condition: .everybody)
    }

    /// - Parameter candidates: a query, by an index, of the devices that may belong to the audience; nil: any.
    static func devices(
        _ devices: ClosedRange<Int64>, of app: Int64, withOpenings: Bool, candidates: SQLFragment? = nil
    ) -> AudienceScope {
        let rows = rows(devices, of: app, withOpenings: withOpenings)
        let first = SQLValue.integer(devices.lowerBound)
        let last = SQLValue.integer(devices.upperBound)
        guard let candidates else {
            return AudienceScope(
                source: rows, condition: "a.device_id BETWEEN \(bind: first) AND \(bind: last)",
                contacts: devices.lowerBound > devices.upperBound - AudienceContacts.maximumDevices ? .ofDevices : .any
            )
        }
        // With `CROSS JOIN`, SQLite keeps the written order; other engines find the best order by themselves.
        return AudienceScope(
            source: "(\(candidates)) k CROSS JOIN \(rows)",
            condition: "k.device_id BETWEEN \(bind: first) AND \(bind: last) AND a.device_id = k.device_id",
            contacts: .ofDevices
        )
    }

    /// The audience table as `a`. Engines flatten the subquery that adds the openings: it costs a lookup for each row,
    /// or a second scan beside the first. A predicate that does not use openings pays for neither.
    ///
    /// - Parameter devices: limits the openings as well, which an engine may otherwise read from the first one.
    private static func rows(
        _ devices: ClosedRange<Int64>?, of app: Int64, withOpenings: Bool
    ) -> SQLFragment {
        let table = AudienceColumns.table(of: app)
        guard withOpenings else { return SQLFragment("\(table) a") }
        let bound =
            devices.map { devices -> SQLFragment in
                let (first, last) = (SQLValue.integer(devices.lowerBound), SQLValue.integer(devices.upperBound))
                return "AND o.device_id BETWEEN \(bind: first) AND \(bind: last)"
            } ?? ""
        return """
            (SELECT t.*, CASE WHEN t.last_opened_at > o.at THEN t.last_opened_at
                    ELSE coalesce(o.at, t.last_opened_at) END AS opened_at
                FROM \(table) t LEFT JOIN device_openings o ON o.device_id = t.device_id \(bound)) a
            """
    }
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
