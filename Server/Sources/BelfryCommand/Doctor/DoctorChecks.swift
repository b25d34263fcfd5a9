import BelfryPostgres
import BelfryServices
import BelfryStore
import Foundation

/// Checks the server's settings.
struct DoctorSettingsCheck: DoctorCheck {
    /// Why the settings cannot be used; nil if they can.
    let problem: String?

    var findings: [DoctorFinding] {
        guard let problem else { return [.ok("settings", "The settings can be read.")] }
        return [.error("settings", problem, "Correct the flag, the variable or the file: the server does not start.")]
    }
}

/// Checks the data directory and the keys in it.
struct FolderCheck: DoctorCheck {
    struct File: Hashable, Sendable {
        let name: String
        /// The permission bits, which include those of the group and of others.
        let mode: UInt32
    }

    enum State: Hashable, Sendable {
        case missing
        case anothers
        case own(mode: UInt32)
    }

    let path: String
    let state: State
    /// The key files that exist.
    var keys: [File] = []

    private static let forOthers: UInt32 = 0o077
    private static let writableByAll: UInt32 = 0o002

    var findings: [DoctorFinding] {
        switch state {
        case .missing:
            return [.warning("folder", "There is no data directory \(path).", "The first start makes it.")]
        case .anothers:
            return [
                .error(
                    "folder", "The data directory \(path) is owned by another user.",
                    "Run this command and the server as its owner, or change the owner.")
            ]
        case .own(let mode) where mode & Self.writableByAll != 0:
            return [
                .error(
                    "folder", "The data directory \(path) is writable by everybody.",
                    "Choose a folder that only the server uses.")
            ]
        case .own:
            let open = keys.filter { $0.mode & Self.forOthers != 0 }
            guard open.isEmpty else {
                return open.map {
                    .error(
                        "folder", "The key file \($0.name) is accessible to other users.",
                        "Run 'chmod 600 \(path)/\($0.name)', and replace the key if others may have read it.")
                }
            }
            return [.ok("folder", "The data directory \(path) and its keys are the server's alone.")]
        }
    }
}

/// Checks the database and its settings.
enum DatabaseCheck: DoctorCheck {
    struct PostgresFacts: Hashable, Sendable {
        /// The server's version as in `server_version_num`: 170002.
        var version: Int
        var encoding: String
        /// The values of `fsync`, `full_page_writes` and `synchronous_commit`, by name.
        var durability: [String: String]
        /// The value of `synchronous_standby_names`; empty: no other server confirms a commit.
        var synchronousStandbys = ""
        /// The number of servers that the address names.
        var servers = 1
        var isReplica: Bool
        var maximumConnections: Int
        var usedConnections: Int
        /// The number of connections that this server may open.
        var wantedConnections: Int
        /// The number of partitions of the table that has most.
        var partitions = 0
        /// The settings that decide how many locks the PostgreSQL server has room for.
        var locks: [LockSetting: Int] = [:]
    }

    /// The PostgreSQL settings that must grow with the number of partitions (FLEET-3).
    enum LockSetting: String, Hashable, Sendable, CaseIterable {
        case locks = "max_locks_per_transaction"
        case readLocks = "max_pred_locks_per_transaction"

        /// The number of locks that a statement without a time range takes per partition. Plain locks: one for the
        /// partition and one for its key. Read locks: a write that looks for many events in all partitions marks up to
        /// 32 pages of each key; for more, the server marks the key as a whole.
        var perPartition: Int {
            switch self {
            case .locks: 2
            case .readLocks: 32
            }
        }

        /// How many of some connections run such statements at the same time.
        func share(of connections: Int) -> Int {
            switch self {
            case .locks: connections
            case .readLocks: (connections * 2 + 4) / 5
            }
        }
    }

    case absent(path: String)
    case unreachable(reason: String)
    case sqlite(journalMode: String)
    case postgres(PostgresFacts)

    private static let name = "database"

    var findings: [DoctorFinding] {
        switch self {
        case .absent(let path):
            [.warning(Self.name, "There is no database \(path).", "The first start of the server makes it.")]
        case .unreachable(let reason):
            [.error(Self.name, reason, "Correct the address or the database; no request is answered without it.")]
        case .sqlite(let mode) where mode != "wal":
            [
                .warning(
                    Self.name, "The SQLite file has the journal mode '\(mode)' instead of 'wal'.",
                    "Start the server once, which sets it; do not change it by hand.")
            ]
        case .sqlite: [.ok(Self.name, "The SQLite file can be read.")]
        case .postgres(let facts): Self.findings(facts)
        }
    }

    private static func findings(_ facts: PostgresFacts) -> [DoctorFinding] {
        var found: [DoctorFinding] = []
        let (major, oldest) = (facts.version / 10_000, PostgresInspection.oldestVersion / 10_000)
        if major < oldest {
            found.append(.error(name, "The server is PostgreSQL \(major).", "Upgrade it to \(oldest) or later."))
        }
        if facts.encoding != "UTF8" {
            found.append(
                .error(
                    name, "The encoding of the database is \(facts.encoding).",
                    "Create one with 'createdb --encoding UTF8 --template template0'."))
        }
        if facts.isReplica {
            found.append(.error(name, "The database is a replica and takes no writes.", "Give the primary's address."))
        }
        for (setting, value) in facts.durability.sorted(by: { $0.key < $1.key }) where value == "off" {
            found.append(
                .error(
                    name, "\(setting) is off: acknowledged writes are lost when the machine fails.",
                    "Set \(setting) = on in postgresql.conf."))
        }
        if facts.servers > 1, facts.synchronousStandbys.isEmpty {
            found.append(
                .warning(
                    name,
                    "The address names \(facts.servers) servers, and no standby confirms commits: a failover may lose "
                        + "acknowledged writes.",
                    "Turn on synchronous replication (Patroni: synchronous_mode), or bring a standby back."))
        }
        if !facts.synchronousStandbys.isEmpty, facts.durability["synchronous_commit"] == "local" {
            found.append(
                .warning(
                    name,
                    "synchronous_commit is local: no commit waits for the standby, and a failover may lose commits.",
                    "Set synchronous_commit = on."))
        }
        found += LockSetting.allCases.compactMap { lockFinding($0, facts) }
        let free = facts.maximumConnections - facts.usedConnections
        if free < facts.wantedConnections {
            found.append(
                .warning(
                    name,
                    "\(facts.usedConnections) of \(facts.maximumConnections) connections are in use, and this server may "
                        + "open \(facts.wantedConnections).",
                    "Raise max_connections, or lower --database-connections."))
        }
        guard found.isEmpty else { return found }
        return [.ok(name, "PostgreSQL \(major) answers, and its settings keep writes safe.")]
    }

    /// Half of the room is left for all other statements.
    private static func lockFinding(_ setting: LockSetting, _ facts: PostgresFacts) -> DoctorFinding? {
        guard let value = facts.locks[setting], facts.maximumConnections > 0 else { return nil }
        let users = setting.share(of: max(facts.usedConnections, facts.wantedConnections))
        let needed = 2 * users * facts.partitions * setting.perPartition
        guard needed > value * facts.maximumConnections else { return nil }
        // The advice is a multiple of 64, the server's default.
        let wanted = (needed / facts.maximumConnections / 64 + 1) * 64
        return .warning(
            name,
            "\(setting.rawValue) is \(value): a table has \(facts.partitions) partitions, and with \(users) connections at "
                + "work at once the server may run out of room for locks (53200).",
            "Set \(setting.rawValue) = \(wanted) in postgresql.conf, and restart the server.")
    }
}

/// Checks whether the program and the database's schema fit together.
struct SchemaCheck: DoctorCheck {
    /// The schema version in the database. Nil or 0: there is no schema yet.
    let found: Int?
    let known: Int

    var findings: [DoctorFinding] {
        switch found {
        case nil, 0?: [.warning("schema", "The database has no schema yet.", "The first start of the server makes it.")]
        case known?: [.ok("schema", "Program and database both have schema \(known).")]
        case (known + 1)?:
            [
                .warning(
                    "schema", "The database has schema \(known + 1) of the next version; this program runs on it.",
                    "Finish the upgrade: install the newer version of belfry here, too.")
            ]
        case Migration.unfinishedMove?:
            [
                .error(
                    "schema", "A move of a SQLite deployment into the database is not finished.",
                    "Run 'belfry migrate-store' again: it continues where it stopped.")
            ]
        case let found? where found > known:
            [
                .error(
                    "schema", "The database has schema \(found), this program knows \(known).",
                    "Install the newer version of belfry that has migrated the database.")
            ]
        case let found?:
            [
                .warning(
                    "schema", "The database has schema \(found), this program has \(known).",
                    "Make a backup; the next start of this program migrates it. Programs that know less than schema "
                        + "\(known - 1) do not run on it then.")
            ]
        }
    }
}

/// Checks the partitions of a PostgreSQL table (FLEET-3).
struct PartitionCheck: DoctorCheck {
    let partitions: TablePartitions
    let now: Date

    private static let name = "partitions"

    var findings: [DoctorFinding] {
        let table = partitions.table.name.statement
        guard partitions.parts != nil else {
            let what =
                partitions.areKept ? "the upkeep of a server divides it into partitions" : "this version leaves it so"
            return [.ok(Self.name, "\(table) is in one piece; \(what).")]
        }
        let overdue = partitions.overdue(at: now)
        guard !overdue.isEmpty else {
            return [.ok(Self.name, "\(table) has the partitions of the \(partitions.table.unit.rawValue)s ahead.")]
        }
        return [
            .warning(
                Self.name,
                "\(table) has no partition for \(overdue.map(\.description).joined(separator: ", ")).",
                "Check that a server with the role worker runs, and its log for why it makes none. Until then "
                    + "\(partitions.table.rest.statement) takes the rows.")
        ]
    }
}

/// Checks the free space on the database's disk.
struct DiskCheck: DoctorCheck {
    let path: String
    let space: DiskSpace?
    let floor: DiskFloor

    var findings: [DoctorFinding] {
        guard let space else {
            return [
                .warning(
                    "disk", "The file system of \(path) does not report its free space.", "Watch it by other means.")
            ]
        }
        let (free, least) = (space.available - space.unsettled, floor.bytes(of: space.total))
        let sentence = "\(Self.text(free)) of \(Self.text(space.total)) are free, and \(Self.text(least)) stay free."
        if free < least {
            return [
                .error(
                    "disk", sentence,
                    "Free space or enlarge the disk: below the floor the server rejects requests that make the store grow."
                )
            ]
        }
        if free < 2 * least { return [.warning("disk", sentence, "Free space before the floor is reached.")] }
        return [.ok("disk", sentence)]
    }

    private static func text(_ bytes: Int64) -> String {
        bytes >= 1_000_000_000 ? "\(bytes / 1_000_000_000) GB" : "\(bytes / 1_000_000) MB"
    }
}

/// Checks whether the disk floor is kept for a database on PostgreSQL (SEC-9).
struct DatabaseDiskCheck: DoctorCheck {
    let disk: DatabaseDisk
    let floor: DiskFloor
    /// The free space of the watched folder.
    let space: DiskSpace?

    private static let name = "disk"

    var findings: [DoctorFinding] {
        switch disk {
        case .watched(let folder): DiskCheck(path: folder, space: space, floor: floor).findings
        case .unwanted: [.ok(Self.name, "No floor of free space is set.")]
        case .elsewhere:
            [
                .ok(
                    Self.name,
                    "The disk of the database may be on another machine: no floor applies to it. Watch it there.")
            ]
        case .undisclosed:
            [
                .warning(
                    Self.name,
                    "No floor applies to the disk of the database: its server does not say where its files are.",
                    DatabaseDisk.adviceOnUndisclosed)
            ]
        case .absent(let folder):
            [
                .warning(
                    Self.name,
                    "No floor applies to the disk of the database: its server's folder \(folder) cannot be seen here.",
                    DatabaseDisk.adviceOnAbsent)
            ]
        }
    }
}

/// Checks how many files and connections the process may open.
struct OpenFilesCheck: DoctorCheck {
    /// The limit up to which the server raises its soft limit; the hard limit may be lower.
    static let most: UInt64 = 65_536
    static let enough: UInt64 = 12_000
    static let least: UInt64 = 1_024

    let hard: UInt64

    var findings: [DoctorFinding] {
        let limit = min(hard, Self.most)
        let sentence = "A process may open \(limit) files; each connection is one."
        let advice = "Raise the hard limit (LimitNOFILE=\(Self.most) in a systemd unit, 'ulimit -Hn' in a shell)."
        if limit < Self.least { return [.error("openFiles", sentence, advice)] }
        if limit < Self.enough { return [.warning("openFiles", sentence, advice)] }
        return [.ok("openFiles", sentence)]
    }
}

/// Checks for quarantined work (SEC-8).
struct QuarantineCheck: DoctorCheck {
    /// The number of pieces of quarantined work, by kind.
    let counts: [WorkKind: Int]

    var findings: [DoctorFinding] {
        let counted = WorkKind.allCases.compactMap { kind in
            counts[kind].flatMap { $0 > 0 ? "\($0) \(kind.rawValue)" : nil }
        }
        guard !counted.isEmpty else { return [.ok("quarantine", "Nothing is quarantined.")] }
        return [
            .warning(
                "quarantine", "Quarantined: \(counted.joined(separator: ", ")).",
                "Look at the reasons with 'belfry quarantine list', then retry or drop the work.")
        ]
    }
}
