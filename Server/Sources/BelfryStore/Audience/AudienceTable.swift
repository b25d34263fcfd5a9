/// The definition of an app's audience table.
///
/// To find values inside JSON takes several times as long as to compare columns (PERF-6), so each attribute that an app
/// defines gets two columns: its text, and the number that it is or reads as. Whether a text reads as a number is
/// decided when the value is written.
enum AudienceTable {
    /// Characters of a text that its index contains: engines limit the size of index entries, and values are longer.
    static let indexedLength = 256
    /// How full a page is at first, in percent: consent and properties change often, and none of them has an index.
    static let fill = 85

    /// - Parameter dialect: gives the key's column type: the key is the device's number, not one that the engine
    ///   generates.
    static func creation(app: Int64, _ dialect: any Dialect) -> [SQLText] {
        let table = AudienceColumns.table(of: app)
        let statements: [SQLText] = [
            """
            CREATE TABLE \(table) (
                device_id \(dialect.sequenceColumn), contact_id BIGINT, known BIGINT, push_opt_in BIGINT NOT NULL,
                last_opened_at BIGINT, platform TEXT, os_version TEXT, app_version TEXT, sdk_version TEXT,
                device_model TEXT, locale TEXT, time_zone TEXT) \(dialect.room(fill: fill))
            """,
            "CREATE INDEX \(table)_contact ON \(table) (contact_id)",
        ]
        return statements + dialect.placing(table, by: "device_id", beside: "devices")
    }

    /// The columns and indexes of an attribute. A value has an entry in one of the two indexes: by its number if it has
    /// one, otherwise by the beginning of its text.
    static func addition(of attribute: AudienceColumns.Attribute, app: Int64) -> [SQLText] {
        let table = AudienceColumns.table(of: app)
        let (text, number) = (attribute.text, attribute.numeric)
        return [
            "ALTER TABLE \(table) ADD COLUMN \(text) TEXT",
            "ALTER TABLE \(table) ADD COLUMN \(number) DOUBLE PRECISION",
            """
            CREATE INDEX \(table)_\(text) ON \(table) (\(indexed(text)))
            WHERE \(number) IS NULL AND \(text) IS NOT NULL
            """,
            "CREATE INDEX \(table)_\(number) ON \(table) (\(number)) WHERE \(number) IS NOT NULL",
        ]
    }

    /// The expression that the index of a text column contains.
    static func indexed(_ column: SQLText) -> SQLText {
        "substr(\(column), 1, \(indexedLength))"
    }
}

extension Dialect {
    /// Gives a new table its place beside another one (FLEET-5); nothing is to be done where one server has them all.
    fileprivate func placing(_ table: SQLText, by column: SQLText, beside other: SQLText) -> [SQLText] {
        guard isDistributed else { return [] }
        return ["SELECT create_distributed_table('\(table)', '\(column)', colocate_with => '\(other)')"]
    }
}
