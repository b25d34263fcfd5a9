import BelfryStore
import Foundation
import Logging

extension Housekeeping {
    /// Events go with their partition once the terms of all apps are over. That is no step of the upkeep which is counted
    /// (SEC-8): to divide a large table, or to prove that a large rest has nothing of a week, may take hours, in which the
    /// database reads and nothing here can end the process.
    func keepEventPartitions(at now: Date) async {
        await keepPartitions(of: .events, at: now) { try await eventTerms(at: now).over ?? .distantPast }
    }

    func eventTerms(at now: Date) async throws -> EventTerms {
        EventTerms(try await database.read { try $0.apps.all() }, at: now)
    }

    /// Where the engine has partitions, those of the periods ahead are made, and those in which all rows are too old go as a
    /// whole (FLEET-3). A metric tells when one is missing; rows are removed all the same. A table that this program may not
    /// divide is left in one piece, but kept once a program of the next version has divided it: without partitions ahead
    /// its rows would go to the rest for as long as only this program runs (FLEET-1).
    ///
    /// - Parameter end: says of before which moment all rows may go.
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
            // The next process goes on.
        } catch {
            logger.failed("partitions cannot be maintained", error, ["table": "\(name)"])
        }
    }
}

extension GaugeQuestion {
    /// How many partitions each table should have and has not (FLEET-3), where the engine has partitions.
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
