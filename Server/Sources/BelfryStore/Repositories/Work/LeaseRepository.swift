import Foundation

/// The leases of all kinds of work, for checks whether their holders are alive. Leasing, renewing and releasing is done
/// by the repository of each kind.
package struct LeaseRepository {
    let connection: any SQLConnection

    /// The leases that end after a moment.
    ///
    /// - Parameter limit: the most leases of each kind; those that end first come first.
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

    /// Ends these leases unless they have changed since they were read, by a renewal or a release.
    ///
    /// - Returns: how many leases were ended.
    package func end(_ leases: [StoredLease]) throws -> Int {
        let found = Dictionary(grouping: leases, by: \.work)
        return try LeasedWork.allCases.reduce(0) { count, work in
            // A fixed order keeps two processes that end the same leases from waiting for each other's rows.
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
