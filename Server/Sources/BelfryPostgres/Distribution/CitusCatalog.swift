import BelfryStore

/// The tables of a schema that Citus distributes, as its catalog lists them (FLEET-5).
struct CitusCatalog {
    /// The names of the tables that are divided into shards or copied to every node.
    let placed: Set<String>

    /// Whether the database is distributed over several nodes.
    var isDistributed: Bool { placed.contains("devices") }

    /// Nil if the database has no such catalog, because Citus is not installed. Then there is no second query.
    ///
    /// - Parameter name: the name of the catalog with its schema. Without the schema, any user who may create tables
    ///   could create one of that name.
    init?(_ link: PostgresLink, name: SQLText) throws {
        let found = try link.command(Self.presence(name)).elements { $0.flag(0) }
        guard found.first == true else { return nil }
        placed = Set(try link.command(Self.selection(name)).elements { $0.text(0) })
    }

    /// The same in a transaction of somebody else.
    init?(_ connection: any SQLConnection, name: SQLText) throws {
        let found = try connection.first(Self.presence(name), []) { $0.flag(0) }
        guard found == true else { return nil }
        placed = Set(try connection.query(Self.selection(name), []) { $0.text(0) })
    }

    private static func presence(_ name: SQLText) -> SQLText { "SELECT to_regclass('\(name)') IS NOT NULL" }

    private static func selection(_ name: SQLText) -> SQLText {
        """
        SELECT c.relname FROM \(name) p JOIN pg_class c ON c.oid = p.logicalrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema()
            AND (p.partmethod = 'h' OR (p.partmethod = 'n' AND p.repmodel = 't'))
        """
    }
}
