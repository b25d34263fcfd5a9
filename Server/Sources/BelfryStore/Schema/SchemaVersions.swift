extension Migration {
    /// All versions in order. Each is a type in the folder `Versions`, in a file of the same name.
    package static let all: [Migration] = [
        Version01FirstTables.migration,
        Version02TopicTrouble.migration,
        Version03MergedAndErasedPeople.migration,
        Version04EventClusters.migration,
        Version05AudienceTables.migration,
        Version06Schedules.migration,
        Version07MessageCenters.migration,
        Version08InAppMessages.migration,
        Version09InAppOpenings.migration,
        Version10DeviceEpochs.migration,
        Version11AuditErasure.migration,
        Version12WorkAttempts.migration,
        Version13AttributeReviews.migration,
        Version14IdentityOrders.migration,
        Version15InstallationInboxes.migration,
        Version16KeysAndReceipts.migration,
        Version17ClientsOfV3.migration,
        Version18SilentTurns.migration,
        Version19Users.migration,
        Version20Rehearsals.migration,
        Version21CampaignReview.migration,
        Version22ContactTimeline.migration,
        Version23DaySums.migration,
        Version24AuditByActor.migration,
        Version25FormerPersons.migration,
        Version26HotRows.migration,
        Version27MovedDevices.migration,
        Version28LedgerRetention.migration,
        Version29WeeklyEvents.migration,
    ]

    package static var newest: Int { all.last?.version ?? 0 }

    /// The newest schema on which this program runs: that of the next version, whose program may run beside it for a
    /// while (FLEET-1). So a version only adds things that this program need not know, and things that it makes
    /// unnecessary are removed one version later.
    package static var newestAccepted: Int { newest + 1 }

    /// A version above all others, set while a move fills the database (STO-4): no program of any version starts on it.
    package static let unfinishedMove = 1_000_000
}

extension SQLConnection {
    /// Brings the schema up to date. The schema of the next version is left unchanged; an even newer one is refused.
    package func migrate() throws {
        try execute("CREATE TABLE IF NOT EXISTS schema_version (version BIGINT NOT NULL)")
        let current = try newestSchema()
        guard current != Migration.unfinishedMove else { throw StoreError.unfinishedMove }
        guard current <= Migration.newestAccepted else {
            throw StoreError.newerSchema(found: current, known: Migration.newest)
        }
        for migration in Migration.all where migration.version > current {
            for statement in migration.statements(dialect) {
                try execute(statement)
            }
            try migration.fill(self)
            try execute("INSERT INTO schema_version (version) VALUES (?)", [.integer(migration.version)])
        }
    }

    /// The schema version of the database; 0 if it has no schema.
    package func newestSchema() throws -> Int {
        Int(try first("SELECT max(version) FROM schema_version", []) { $0.integer(0) } ?? 0)
    }

    /// Writes without changing anything, to test whether the database accepts writes.
    package func touchSchema() throws {
        try execute("UPDATE schema_version SET version = version WHERE version = 1")
    }

    /// The same for a database whose disk was full, where a small write may succeed and no larger one does.
    package func touchSchemaWithRoom() throws {
        for statement in dialect.spaceTrial { try execute(statement) }
        try touchSchema()
    }
}
