/// Why a database cannot be distributed, in words for whoever starts the server.
package enum PostgresDistributionError: Error, Hashable, CustomStringConvertible {
    /// What is missing of Citus on the server that programs speak to.
    package enum Missing: Hashable, Sendable {
        case files
        /// They are there, but nobody has made the extension in the database.
        ///
        /// - Parameter isPermitted: whether the user of the address may make it.
        case creation(isPermitted: Bool)
    }

    /// Who is at work on a database.
    package enum Worker: Hashable, Sendable {
        case process
        /// Nobody is to be seen, but a lease has not ended: of a process that was cut off, or has just been killed.
        case lease
    }

    case noCitus(database: String, Missing)
    case oldCitus(database: String, found: String)
    case noCoordinator(database: String)
    case noWorkers(database: String)
    case atWork(database: String, Worker)
    case rows(tables: [String])

    private static let preparation =
        "run 'CREATE EXTENSION citus' in the database of that name on each server, and add the workers to this one."

    package var description: String {
        switch self {
        case .noCitus(let database, .files):
            "The database \(database) has no Citus: it is not installed on this server. Install it on all servers, name "
                + "it in shared_preload_libraries, then \(Self.preparation)"
        case .noCitus(let database, .creation(isPermitted: true)):
            "The database \(database) has no Citus, which is installed on this server: \(Self.preparation)"
        case .noCitus(let database, .creation(isPermitted: false)):
            "The database \(database) has no Citus, which is installed on this server, and this user may not create the "
                + "extension. As a superuser \(Self.preparation)"
        case .oldCitus(let database, let found):
            "The database \(database) has Citus \(found). Version \(PostgresDistribution.oldestCitus.statement) or later "
                + "is required, on all servers."
        case .noCoordinator(let database):
            "The server of the database \(database) does not know by which address the workers reach it. As a superuser "
                + "run \"SELECT citus_set_coordinator_host('HOST', PORT)\" there."
        case .noWorkers(let database):
            "The database \(database) has no workers to which rows could go. As a superuser run \"SELECT "
                + "citus_add_node('HOST', PORT)\" there for each."
        case .atWork(let database, .process):
            "Other Belfry servers are at work on the database \(database), and would go on as on one server. Nothing was "
                + "changed. Stop all of them, start this one, then the others."
        case .atWork(let database, .lease):
            "Work on the database \(database) is under way: a lease has not ended, which takes a minute at most after its "
                + "server has. Nothing was changed. Stop all servers, wait, and start this one."
        case .rows(let tables):
            "The database has rows already (\(tables.joined(separator: ", "))). To copy them to the other servers takes "
                + "its time. Nothing was changed. Make a back-up, and ask for it with --copy-rows."
        }
    }
}
