import BelfryStore
import Foundation

/// Makes a database one that several servers hold together (FLEET-5): tells Citus the place of each table
/// (``Distribution``), after some have got the keys that this takes, and makes the directories that there are nowhere else,
/// and the table of ``PreparedCommits``. All of it is one transaction. A database that is distributed already is left as it
/// is.
///
/// No program is at work on the database meanwhile: who has entered it before would go on as on one server. One that is
/// at work is found by its bell, or by a lease, and then nothing is done. One that starts meanwhile waits for the lock of the
/// schema, and finds the database distributed.
package struct PostgresDistribution {
    /// The oldest version that was tried.
    static let oldestCitus: SQLText = "12.1"
    /// How long processes that were just ended have to be gone: the server notices it after a moment.
    private static let patience: SQLText = "'5s'"

    private let settings: PostgresSettings
    private let copiesRows: Bool

    /// Brings the schema up to date, and distributes it.
    ///
    /// - Parameter copiesRows: whether rows that are on this server go to the others, which takes its time; else a database
    ///   that has some is refused. Those of tables that each server has whole are few, and go in any case.
    /// - Returns: the tables that got their place; none where all of them had it.
    /// - Throws: ``PostgresOpeningError``, ``PostgresDistributionError`` or ``StoreError/newerSchema(found:known:)``.
    package static func setUp(_ settings: PostgresSettings, copyingRows copiesRows: Bool = false) throws -> [String] {
        _ = try PostgresOpening(settings).run(asksForFolder: false)
        let line = PostgresLine("distribution", settings, lockTimeout: 0)
        defer { line.close() }
        do {
            let distribution = PostgresDistribution(settings: settings, copiesRows: copiesRows)
            return try line.queue.sync { try distribution.run(on: line) }
        } catch let error as PostgresError {
            throw PostgresOpeningError(error, at: settings.address)
        }
    }

    private func run(on line: PostgresLine) throws -> [String] {
        let link = try line.ready()
        try link.command("SET statement_timeout = 0")
        try link.command("SET idle_in_transaction_session_timeout = 0")
        // Nobody brings the schema up to date meanwhile, or does the same. It goes with the connection.
        try link.command("SELECT pg_advisory_lock(\(PostgresOpening.lock))")
        try checkCluster(link)
        let placed = try line.transaction("") { try place($0) }
        try dropCopied(link)
        try settings.placement.read(link)
        return placed
    }

    private func place(_ link: PostgresLink) throws -> [String] {
        guard let catalog = try CitusCatalog(link, name: settings.placement.catalog) else { return [] }
        var missing = try Self.tables(link).filter { !catalog.placed.contains($0) }
        if !copiesRows {
            let full = try missing.filter { try Self.isOnShards($0) && Self.hasRows($0, link) }
            guard full.isEmpty else { throw PostgresDistributionError.rows(tables: full) }
        }
        if !catalog.isDistributed {
            for statement in Self.keys + Self.directories + Self.entries + Self.words + PreparedCommits.making {
                try link.command(statement)
            }
            missing += Distribution.added.keys.sorted()
        }
        // Those beside which others lie come before the others.
        let first = missing.filter(Self.leads)
        let inOrder = first + missing.filter { !Self.leads($0) }
        for table in inOrder { try Self.place(table, link) }
        return inOrder
    }

    /// The tables of the schema that do not stay where they are.
    private static func tables(_ link: PostgresLink) throws -> [String] {
        let all = try link.command(
            """
            SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY c.relname
            """
        ).elements { $0.text(0) }
        return all.filter { table in
            switch Distribution.place(of: table) {
            case .reference?, .distributed?: true
            case .local?, nil: false
            }
        }
    }

    private static func isOnShards(_ table: String) -> Bool {
        if case .distributed? = Distribution.place(of: table) { true } else { false }
    }

    private static func hasRows(_ table: String, _ link: PostgresLink) throws -> Bool {
        guard let name = SchemaName(table) else { return false }
        return try link.command("SELECT EXISTS (SELECT FROM \(name))").elements { $0.flag(0) }.first == true
    }

    private static func leads(_ table: String) -> Bool {
        guard case .distributed(let owner, _)? = Distribution.place(of: table) else { return false }
        return owner.first == table
    }

    private static func place(_ table: String, _ link: PostgresLink) throws {
        switch Distribution.place(of: table) {
        case .reference?:
            _ = try link.run("SELECT create_reference_table(?::regclass)", [.text(table)])
        case .distributed(let owner, let column)?:
            try place(table, by: column, beside: leads(table) ? "none" : owner.first, link)
        case .local?, nil: break
        }
    }

    /// Puts a table on shards, with its partitions if it has some.
    static func place(_ table: String, by column: String, beside neighbour: String, _ link: PostgresLink) throws {
        _ = try link.run(
            "SELECT create_distributed_table(?::regclass, ?, colocate_with => ?)",
            [.text(table), .text(column), .text(neighbour)]
        )
    }

    /// What was copied is on this server's disk still. Somebody may have ended the process before this, so it is looked for.
    private func dropCopied(_ link: PostgresLink) throws {
        let left = try link.command(
            """
            SELECT c.relname FROM \(settings.placement.catalog) p JOIN pg_class c ON c.oid = p.logicalrelid
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relkind = 'r' AND pg_relation_size(c.oid) > 0
            """
        ).elements { $0.text(0) }
        for table in left {
            _ = try link.run("SELECT truncate_local_data_after_distributing_table(?::regclass)", [.text(table)])
        }
    }
}

// MARK: What has to be there before

extension PostgresDistribution {
    /// Whether the database may become a distributed one. One that is so already needs nothing.
    private func checkCluster(_ link: PostgresLink) throws {
        let database = settings.address.summary
        guard let catalog = try CitusCatalog(link, name: settings.placement.catalog) else {
            let missing = try Self.missing(link)
            throw PostgresDistributionError.noCitus(database: database, missing)
        }
        guard !catalog.isDistributed else { return }
        let versions = try link.command(Self.version).elements { (isOld: $0.flag(0), text: $0.text(1)) }
        if let version = versions.first, version.isOld {
            throw PostgresDistributionError.oldCitus(database: database, found: version.text)
        }
        let counts = try link.command(Self.nodes).elements { (coordinators: $0.integer(0), workers: $0.integer(1)) }
        guard let count = counts.first, count.workers > 0 else {
            throw PostgresDistributionError.noWorkers(database: database)
        }
        guard count.coordinators > 0 else { throw PostgresDistributionError.noCoordinator(database: database) }
        try keepOthersOut(link)
    }

    private static func missing(_ link: PostgresLink) throws -> PostgresDistributionError.Missing {
        let facts = try link.command(
            """
            SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'citus'),
                EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND rolsuper)
            """
        ).elements { (isInstalled: $0.flag(0), isSuperuser: $0.flag(1)) }
        guard let facts = facts.first, facts.isInstalled else { return .files }
        return .creation(isPermitted: facts.isSuperuser)
    }

    /// Whether it is older than what was tried, and its text. One that says no numbers is not refused.
    private static let version: SQLText = """
        SELECT coalesce(string_to_array(substring(citus_version() FROM '[0-9]+[.][0-9]+'), '.')::int[]
                < string_to_array('\(oldestCitus)', '.')::int[], false),
            coalesce(substring(citus_version() FROM '[0-9][0-9.]*'), citus_version())
        """

    /// How many servers the cluster knows as the one that programs speak to, and how many may have shards.
    private static let nodes: SQLText = """
        SELECT count(*) FILTER (WHERE groupid = 0),
            count(*) FILTER (WHERE groupid <> 0 AND noderole = 'primary' AND isactive AND shouldhaveshards)
        FROM pg_dist_node
        """

    /// Makes sure that nobody is at work. Whoever begins waits for the lock of the schema, which is ours, and the bell of
    /// one that was cut off waits for the locks that are taken here. They go with the connection.
    private func keepOthersOut(_ link: PostgresLink) throws {
        let database = settings.address.summary
        try link.command("SET lock_timeout = \(Self.patience)")
        do {
            for lock in [PostgresBell.presence, PostgresBell.lock] {
                try link.command("SELECT pg_advisory_lock(\(lock))")
            }
        } catch let error as PostgresError where error.isConflict {
            throw PostgresDistributionError.atWork(database: database, .process)
        }
        try link.command("SET lock_timeout = 0")
        let now = settings.now()
        let term: [SQLValue] = [.date(now), .date(now.addingTimeInterval(WorkAttempt.longestLease))]
        let areLent = try link.run(Self.leases, (1...5).flatMap { _ in term }).elements { $0.flag(0) }
        guard areLent.first != true else { throw PostgresDistributionError.atWork(database: database, .lease) }
    }

    /// Whether a lease has not ended. One that a wrong clock has made longer than leases are is nobody's.
    private static let leases: SQLText = """
        SELECT EXISTS (SELECT FROM batches WHERE lease_owner IS NOT NULL AND lease_until > ? AND lease_until <= ?)
            OR EXISTS (SELECT FROM registration_groups WHERE lease_until > ? AND lease_until <= ?)
            OR EXISTS (SELECT FROM rehearsals WHERE lease_owner IS NOT NULL AND lease_until > ? AND lease_until <= ?)
            OR EXISTS (SELECT FROM work_attempts WHERE owner IS NOT NULL AND lease_until > ? AND lease_until <= ?)
            OR EXISTS (SELECT FROM silent_pushes WHERE lease_owner IS NOT NULL AND due_at > ? AND due_at <= ?)
        """
}

// MARK: What there is on a distributed database alone

extension PostgresDistribution {
    /// Keys with the distribution column, which Citus asks for (Docs/Decisions/0009-citus.md). What the former key had comes
    /// first, so that whoever goes by it alone still finds it by the key. Of contacts a directory says whose a key is. The
    /// last gives batches their devices.
    private static let keys: [SQLText] = [
        "ALTER TABLE registrations DROP CONSTRAINT registrations_pkey, ADD PRIMARY KEY (id, device_id)",
        "ALTER TABLE refresh_tokens DROP CONSTRAINT refresh_tokens_pkey, ADD PRIMARY KEY (token_hash, device_id)",
        "ALTER TABLE contacts DROP CONSTRAINT contacts_app_id_contact_key_key",
        "CREATE INDEX contacts_by_any_key ON contacts (app_id, contact_key)",
        batchDevices,
    ]

    /// The devices of a batch, all of one shard: `1,5,12`. A range of numbers would be on all of them.
    package static let batchDevices: SQLText = "ALTER TABLE batches ADD COLUMN device_list TEXT"

    /// Tables in which a text leads to a number. An id and a token stand there by half of their hash: no entry is too long,
    /// and whoever goes by one compares what they find.
    private static let directories: [SQLText] = [
        """
        CREATE TABLE contact_keys (
            app_id BIGINT NOT NULL, contact_key TEXT COLLATE "C" NOT NULL, contact_id BIGINT NOT NULL,
            PRIMARY KEY (app_id, contact_key))
        """,
        """
        CREATE TABLE client_ids (
            app_id BIGINT NOT NULL, client_hash TEXT COLLATE "C" NOT NULL, device_id BIGINT NOT NULL,
            unlinked BIGINT NOT NULL, PRIMARY KEY (app_id, client_hash, device_id))
        """,
        // An id has few of these, whatever it has of others.
        "CREATE INDEX client_ids_unlinked ON client_ids (app_id, client_hash, device_id) WHERE unlinked = 1",
        """
        CREATE TABLE push_tokens (
            app_id BIGINT NOT NULL, token_hash TEXT COLLATE "C" NOT NULL, device_id BIGINT NOT NULL,
            PRIMARY KEY (app_id, token_hash, device_id))
        """,
    ]

    /// Has the directories lead to what is there. What they know already stays.
    package static let entries: [SQLText] = [
        """
        INSERT INTO contact_keys (app_id, contact_key, contact_id) SELECT app_id, contact_key, id FROM contacts
        ON CONFLICT (app_id, contact_key) DO NOTHING
        """,
        """
        INSERT INTO client_ids (app_id, client_hash, device_id, unlinked)
        SELECT app_id, \(hash(of: canonicalClient)), id, CASE WHEN \(DeviceRepository.isUnlinked) THEN 1 ELSE 0 END
        FROM \(allDevices)
        ON CONFLICT (app_id, client_hash, device_id) DO NOTHING
        """,
        """
        INSERT INTO push_tokens (app_id, token_hash, device_id)
        SELECT app_id, \(hash(of: "push_token")), id FROM \(allDevices) WHERE push_token IS NOT NULL
        ON CONFLICT (app_id, token_hash, device_id) DO NOTHING
        """,
    ]

    /// What registrations say to contacts, until these have heard it.
    private static let words: [SQLText] = [
        """
        CREATE TABLE contact_words (
            device_id BIGINT NOT NULL, number BIGINT NOT NULL, registration_id BIGINT NOT NULL,
            contact_id BIGINT NOT NULL, former_id BIGINT, word TEXT NOT NULL, PRIMARY KEY (device_id, number))
        """,
        "CREATE INDEX contact_words_by_contact ON contact_words (contact_id)",
        "CREATE INDEX contact_words_by_former ON contact_words (former_id)",
        """
        CREATE TABLE known_words (
            contact_id BIGINT NOT NULL, device_id BIGINT NOT NULL, number BIGINT NOT NULL,
            PRIMARY KEY (contact_id, device_id))
        """,
        "CREATE SEQUENCE contact_word_numbers",
    ]

    /// Those that live and those that are dormant.
    private static let allDevices: SQLText = """
        (SELECT id, app_id, client_id, push_token, contact_id, epoch FROM devices
        UNION ALL SELECT id, app_id, client_id, push_token, contact_id, epoch FROM dormant_devices) d
        """

    /// A UUID in lower case, any other id as it is, as `DeviceID` compares them.
    private static let canonicalClient: SQLText = """
        CASE WHEN client_id ~ '^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$' THEN lower(client_id)
            ELSE client_id END
        """

    private static func hash(of text: SQLText) -> SQLText {
        "encode(substring(sha256(convert_to(\(text), 'UTF8')) FROM 1 FOR 16), 'base64')"
    }
}

extension Distribution.Owner {
    /// The table beside which those of an owner lie.
    fileprivate var first: String {
        switch self {
        case .device: "devices"
        case .contact: "contacts"
        case .text: "contact_keys"
        }
    }
}
