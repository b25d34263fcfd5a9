import BelfryStore
import Foundation
import Logging

extension Housekeeping {
    /// Drops partitions of events that are older than the terms of all apps. This is not a counted step of the upkeep
    /// (SEC-8): dividing a large table, or checking that a large rest has no events of a week, may take hours, but the
    /// database does that work, and it cannot crash this process.
    func keepEventPartitions(at now: Date) async {
        await keepPartitions(of: .events, at: now) { try await eventTerms(at: now).over ?? .distantPast }
    }

    func eventTerms(at now: Date) async throws -> EventTerms {
        EventTerms(try await database.read { try $0.apps.all() }, at: now)
    }

    /// Makes the partitions of the coming periods, and drops those in which all rows are too old (FLEET-3), where the
    /// engine has partitions. If one is missing, a metric shows it, and rows are deleted one by one. A table that this
    /// program must not divide stays in one piece. If a program of the next version has divided it, this program makes
    /// its partitions, too: otherwise new rows would go to the rest for as long as only this program runs (FLEET-1).
    ///
    /// - Parameter end: returns the date before which all rows may be removed.
    func keepPartitions(
        of table: PartitionedTable, at now: Date, droppingBefore end: () async throws -> Date
    ) async {
        let name = table.name.statement
        do {
            guard try await database.read({ try $0.partitions(of: table)?.areKept }) == true else { return }
            let moment = try await end()
            let upkeep = try await database.keepPartitions(of: table, at: now, droppingBefore: moment)
            if upkeep.isDivided { logger.info("a table was divided into partitions", metadata: ["table": "\(name)"]) }
            if upkeep.made + upkeep.dropped > 0 {
                logger.info(
                    "partitions were made or dropped",
                    metadata: ["table": "\(name)", "made": "\(upkeep.made)", "dropped": "\(upkeep.dropped)"]
                )
            }
            if upkeep.isHeldUp {
                logger.info("partitions are left for later: another session has a lock", metadata: ["table": "\(name)"])
            }
        } catch is CancellationError {
            // The next process continues.
        } catch {
            logger.failed("partitions cannot be maintained", error, ["table": "\(name)"])
        }
    }
}

extension GaugeQuestion {
    /// The number of missing partitions of each table (FLEET-3), where the engine has partitions.
    package static func partitions(of database: any SQLDatabase, environment: ServerEnvironment) -> GaugeQuestion {
        GaugeQuestion(name: "partitions", failure: "the partitions cannot be looked at") {
            let tables = try await database.read { connection in
                try PartitionedTable.all.compactMap { try connection.partitions(of: $0) }
            }
            return tables.reduce(into: [:]) { values, found in
                values["belfry_partitions_missing{table=\"\(found.table.name.statement)\"}"] =
                    found.overdue(at: environment.now()).count
            }
        }
    }
}
