import BelfryStore
import Foundation
import Logging

extension Housekeeping {
    /// Where the engine has partitions, those of the periods ahead are made, and those in which all rows are too old go as a
    /// whole (FLEET-3). A metric tells when one is missing; rows are removed all the same.
    func keepPartitions(of table: PartitionedTable, at now: Date, droppingBefore moment: Date) async {
        let name = table.name.statement
        do {
            let upkeep = try await database.keepPartitions(of: table, at: now, droppingBefore: moment)
            if upkeep.isDivided { logger.info("a table was divided into partitions", metadata: ["table": "\(name)"]) }
            if upkeep.made + upkeep.dropped > 0 {
                logger.info(
                    "partitions were made or dropped",
                    metadata: ["table": "\(name)", "made": "\(upkeep.made)", "dropped": "\(upkeep.dropped)"]
                )
            }
            if upkeep.isHeldUp {
                logger.info("partitions are left for later: somebody has a lock", metadata: ["table": "\(name)"])
            }
        } catch {
            logger.failed("partitions cannot be kept", error, ["table": "\(name)"])
        }
    }
}
