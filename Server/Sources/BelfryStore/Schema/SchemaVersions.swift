extension Migration {
    /// In order: each version is a type of `Versions`, in a file of its name.
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

    /// The newest schema that this program runs on: that of the next version, whose program may run beside it for a while
    /// (FLEET-1). So a version only adds what this program need not know, and what it makes needless is removed one
    /// version later.
    package static var newestAccepted: Int { newest + 1 }

    /// Stands above the versions of a database while a move fills it (STO-4): no program of any version begins there.
    package static let unfinishedMove = 1_000_000
}

extension SQLConnection {
    /// Brings the schema up to date. That of the next version is left as it is; one that is newer still is refused.
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

    /// The version of the schema that the database has; 0 for none.
    package func newestSchema() throws -> Int {
        Int(try first("SELECT max(version) FROM schema_version", []) { $0.integer(0) } ?? 0)
    }

    /// Writes and changes nothing: it shows whether the database takes writes.
    package func touchSchema() throws {
        try execute("UPDATE schema_version SET version = version WHERE version = 1")
    }
}
