import Foundation

/// The leases of all kinds of work, for whoever looks whether their holders are alive. What is lent, renewed and given
/// back is seen to by the repository of each kind.
package struct LeaseRepository {
    let connection: any SQLConnection

    /// Those that end after a moment.
    ///
    /// - Parameter limit: so many of each kind at most; those first that end first.
    package func ending(after moment: Date, limit: Int) throws -> [StoredLease] {
        try LeasedWork.allCases.flatMap { work -> [StoredLease] in
            try connection.query(work.laterLeases, [.date(moment), .integer(limit)]) { row -> StoredLease in
                let row = ResultRow<StoredLease.Place>(row)
                return StoredLease(
                    work, number: row.integer(.number), part: row.integer(.part), owner: row.text(.owner),
                    until: row.date(.until)
                )
            }
        }
    }

    /// Ends those that stand as they were found; what was renewed or given back meanwhile stays as it is.
    ///
    /// - Returns: how many.
    package func end(_ leases: [StoredLease]) throws -> Int {
        let found = Dictionary(grouping: leases, by: \.work)
        return try LeasedWork.allCases.reduce(0) { count, work in
            // In one order: else two processes that end the same leases could each wait for a row that the other has.
            let ordered = (found[work] ?? []).sorted {
                ($0.number, $0.part, $0.owner) < ($1.number, $1.part, $1.owner)
            }
            return try count + connection.executeEach(work.ending, ordered.map(\.arguments))
        }
    }
}

extension SQLConnection {
    package var leases: LeaseRepository { LeaseRepository(connection: self) }
}
