import BelfryStore

/// What Citus has noted of the tables of a schema, in a catalog of its own (FLEET-5).
struct CitusCatalog {
    /// Tables that are on shards, and those that are whole on each server.
    let placed: Set<String>

    /// Whether several servers hold the database together.
    var isDistributed: Bool { placed.contains("devices") }

    /// Nil where Citus is not: there is no such catalog. One without it is asked for nothing more.
    ///
    /// - Parameter name: of the catalog, with its schema: whoever may make tables could make one with its name.
    init?(_ link: PostgresLink, name: SQLText) throws {
        let found = try link.command("SELECT to_regclass('\(name)') IS NOT NULL").elements { $0.flag(0) }
        guard found.first == true else { return nil }
        placed = Set(
            try link.command(
                """
                SELECT c.relname FROM \(name) p JOIN pg_class c ON c.oid = p.logicalrelid
                JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE n.nspname = current_schema()
                    AND (p.partmethod = 'h' OR (p.partmethod = 'n' AND p.repmodel = 't'))
                """
            ).elements { $0.text(0) }
        )
    }
}
