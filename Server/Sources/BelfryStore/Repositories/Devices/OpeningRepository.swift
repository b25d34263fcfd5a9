import BelfryModel
import Foundation

/// Whose openings of the app are noted: a device's, and those of the contact under whom it opens it.
///
/// When the last one was is in a narrow table of each. The row of a device or a contact is wide, and nothing else
/// happens to it as often: it would be written anew for little more than openings (FLEET-2).
///
/// The program of version 25 knows only a column of the wide row. That is written as well once it is a day behind, and
/// what that program has written there counts: the later of the two is the last opening.
package enum OpeningHolder: Sendable {
    case device, contact

    /// Its wide rows.
    var table: SQLText {
        switch self {
        case .device: "devices"
        case .contact: "contacts"
        }
    }

    /// The tables in which somebody stands who has openings.
    var owners: [SQLText] {
        switch self {
        case .device: DeviceTable.allCases.map(\.name)
        case .contact: ["contacts"]
        }
    }

    /// Its last openings.
    var openings: SQLText {
        switch self {
        case .device: "device_openings"
        case .contact: "contact_openings"
        }
    }

    /// The key of ``openings``: the number of the wide row.
    var key: SQLText {
        switch self {
        case .device: "device_id"
        case .contact: "contact_id"
        }
    }

    /// The last opening as an expression over ``table``, whatever its name in the statement is: one look by the key for
    /// each row.
    func lastOpening(of row: SQLText) -> SQLText {
        """
        coalesce((SELECT CASE WHEN \(row).last_opened_at > o.at THEN \(row).last_opened_at ELSE o.at END
            FROM \(openings) o WHERE o.\(key) = \(row).id), \(row).last_opened_at)
        """
    }
}

/// The column of wide rows that says when the app was opened last, for the program of version 25.
enum WideOpening {
    /// Milliseconds that it may be behind: it is written at most once a day, and that program is wrong by no more.
    private static let lag: Int64 = 86_400_000

    /// What the column becomes when the whole row is saved. Its arguments are the oldest that it may still say after
    /// the last opening, and that opening; null when there is none.
    static let saved: SQLText = "CASE WHEN last_opened_at >= ? THEN last_opened_at ELSE ? END"

    /// The same of values in memory, in milliseconds.
    static func saved(_ opening: Int64?, over former: Int64?) -> Int64? {
        guard let opening, let former, former >= oldest(opening) else { return opening }
        return former
    }

    /// The oldest that the column may still say after an opening; both in milliseconds.
    static func oldest(_ opening: Int64) -> Int64 {
        let (moment, isTooEarly) = opening.subtractingReportingOverflow(lag)
        return isTooEarly ? .min : moment
    }

    static func oldest(_ opening: Date?) -> Int64? { opening.map { oldest($0.milliseconds) } }
}

/// When devices and contacts have opened the app last. An opening asks for no result, so all of it goes to the database
/// with what follows (FLEET-4).
struct OpeningRepository {
    let connection: any SQLConnection

    /// Notes an opening, unless a later one is known, or nobody has the number any more.
    func note(_ at: Date, of holder: OpeningHolder, _ id: Int64) throws {
        try connection.executeLater(
            """
            INSERT INTO \(holder.openings) (\(holder.key), at) SELECT id, ? FROM \(holder.table) WHERE id = ?
            ON CONFLICT (\(holder.key)) DO UPDATE SET at = excluded.at WHERE \(holder.openings).at < excluded.at
            """,
            [.date(at), .integer(id)]
        )
    }

    /// Follows a row that was saved: without an opening it has none any more.
    func save(_ last: Date?, of holder: OpeningHolder, _ id: Int64) throws {
        guard let last else { return try forget(holder, id) }
        try note(last, of: holder, id)
    }

    /// Writes an opening into wide rows that are a day behind it, or that know of none.
    ///
    /// - Parameter key: what a row of the table is found by.
    func follow(_ at: Date, in table: SQLText, where key: SQLText, _ id: Int64) throws {
        try connection.executeLater(
            """
            UPDATE \(table) SET last_opened_at = ?
            WHERE \(key) = ? AND (last_opened_at IS NULL OR last_opened_at < ?)
            """,
            [.date(at), .integer(id), .integer(WideOpening.oldest(at.milliseconds))]
        )
    }

    func forget(_ holder: OpeningHolder, _ id: Int64) throws {
        try connection.executeLater("DELETE FROM \(holder.openings) WHERE \(holder.key) = ?", [.integer(id)])
    }
}

/// Of contacts that go with the one that they went into. They have had no openings of their own since, but the program
/// of version 25 has left the row of one that it merged.
extension OpeningRepository {
    func forgetContacts(mergedInto contact: Int64) throws {
        try connection.execute(
            "DELETE FROM contact_openings WHERE contact_id IN (SELECT id FROM contacts WHERE merged_into = ?)",
            [.integer(contact)]
        )
    }

    func forgetContacts(_ ids: [Int64]) throws {
        try connection.execute(
            "DELETE FROM contact_openings WHERE contact_id IN (\(connection.dialect.integers))", [.integers(ids)]
        )
    }
}

extension SQLConnection {
    var openings: OpeningRepository { OpeningRepository(connection: self) }
}
