import BelfryModel
import Foundation

/// Whose openings of the app are recorded: those of a device, and those of the contact that it has then.
///
/// The last opening is in a narrow table for each. The row of a device or a contact is wide, and nothing else in it
/// changes as often: it would be rewritten for little more than openings (FLEET-2).
///
/// The program of version 25 knows only a column of the wide row. That column is also written once it is a day behind,
/// and what that program has written there counts: the later of the two is the last opening.
package enum OpeningHolder: Sendable {
    case device, contact

    /// The table with the wide rows.
    var table: SQLText {
        switch self {
        case .device: "devices"
        case .contact: "contacts"
        }
    }

    /// The tables with rows that may have openings.
    var owners: [SQLText] {
        switch self {
        case .device: DeviceTable.allCases.map(\.name)
        case .contact: ["contacts"]
        }
    }

    /// The table with the last openings.
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

    /// The last opening as an expression over ``table``, under any name in the statement: one lookup by key for each
    /// row.
    func lastOpening(of row: SQLText) -> SQLText {
        """
        coalesce((SELECT CASE WHEN \(row).last_opened_at > o.at THEN \(row).last_opened_at ELSE o.at END
            FROM \(openings) o WHERE o.\(key) = \(row).id), \(row).last_opened_at)
        """
    }
}

/// The column of wide rows with the last opening, for the program of version 25.
enum WideOpening {
    /// How far the column may be behind, in milliseconds: it is written at most once a day, so that program is wrong by
    /// no more than that.
    private static let lag: Int64 = 86_400_000

    /// The new value of the column when the whole row is saved. Its arguments are the oldest value that the column may
    /// keep, and the last opening; null if there is none.
    static let saved: SQLText = "CASE WHEN last_opened_at >= ? THEN last_opened_at ELSE ? END"

    /// Computes ``saved`` from values in memory, in milliseconds.
    static func saved(_ opening: Int64?, over former: Int64?) -> Int64? {
        guard let opening, let former, former >= oldest(opening) else { return opening }
        return former
    }

    /// The oldest value that the column may keep after an opening; both in milliseconds.
    static func oldest(_ opening: Int64) -> Int64 {
        let (moment, isTooEarly) = opening.subtractingReportingOverflow(lag)
        return isTooEarly ? .min : moment
    }

    static func oldest(_ opening: Date?) -> Int64? { opening.map { oldest($0.milliseconds) } }
}

/// The last openings of devices and contacts. An opening needs no result, so its statements are sent together with
/// later ones (FLEET-4).
struct OpeningRepository {
    let connection: any SQLConnection

    /// Records an opening, unless a later one is known or the row no longer exists.
    func note(_ at: Date, of holder: OpeningHolder, _ id: Int64) throws {
        try connection.executeLater(
            """
            INSERT INTO \(holder.openings) (\(holder.key), at) SELECT id, ? FROM \(holder.table) WHERE id = ?
            ON CONFLICT (\(holder.key)) DO UPDATE SET at = excluded.at WHERE \(holder.openings).at < excluded.at
            """,
            [.date(at), .integer(id)]
        )
    }

    /// Updates the openings after a row was saved: a row without a last opening has none in the narrow table either.
    func save(_ last: Date?, of holder: OpeningHolder, _ id: Int64) throws {
        guard let last else { return try forget(holder, id) }
        try note(last, of: holder, id)
    }

    /// Writes an opening to wide rows that are a day behind it, or have none.
    ///
    /// - Parameter key: the column by which a row of the table is found.
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

/// Openings of contacts that are deleted together with the one into which they were merged. They have had no openings
/// since, but the program of version 25 left the opening rows of contacts that it merged.
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
