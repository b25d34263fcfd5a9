import BelfryModel
import BelfryServerModel
import Foundation

/// An event in the life of a message in a person's message center.
package enum CenterMoment: Int64, Hashable, Sendable, CaseIterable {
    case placed, read, deleted, recalled
}

/// An event in the life of an in-app message on a person's device.
package enum InAppMoment: Int64, Hashable, Sendable, CaseIterable {
    case downloaded, displayed, clicked, dismissed, notShown, withdrawn
}

/// An event that the ledger records of a message to a device: the decision, or a report of the device.
package enum LedgerMoment: Int64, Hashable, Sendable, CaseIterable {
    case decided, received, displayed, opened, dismissed

    fileprivate var column: SQLText {
        switch self {
        case .decided: "updated_at"
        case .received: "received_at"
        case .displayed: "displayed_at"
        case .opened: "opened_at"
        case .dismissed: "dismissed_at"
        }
    }
}

/// Timeline entries of campaigns' messages. Each time that a row records is a separate entry.
extension TimelineRepository {
    /// The entries of ledger rows that were planned for the person.
    ///
    /// - Parameter moments: the kinds of entries to return.
    package func ledger(
        of scope: TimelineScope, _ moments: [LedgerMoment], before place: TimelinePosition, limit: Int
    ) throws -> [TimelineMoment<LedgerMoment>] {
        let dialect = connection.dialect
        let areTheirs = dialect.isOneOf(scope.devices, "l.device_id", isFirst: true)
        let isTheirs = try connection.contactParts.isPart(
            "l.contact_id", of: scope.contact,
            among: SQLFragment(
                """
                SELECT DISTINCT l.contact_id FROM deliveries l
                WHERE \(dialect.isFound("l.campaign_id", by: CampaignRepository.numbersOfApp)) AND \(areTheirs.sql)
                    AND l.contact_id IS NOT NULL
                """,
                [.integer(scope.app)] + areTheirs.arguments
            )
        )
        let question = Self.ledgerQuestion(of: scope, moments, before: place, limit: limit, isTheirs, dialect)
        return try connection.query(question.sql, question.arguments) { try Self.moment($0, table: "deliveries") }
    }

    package static func ledgerQuestion(
        of scope: TimelineScope, _ moments: [LedgerMoment], before place: TimelinePosition, limit: Int,
        _ dialect: any Dialect
    ) -> SQLFragment {
        let isTheirs = ContactPartRepository.isPart("l.contact_id", of: scope.contact)
        return ledgerQuestion(of: scope, moments, before: place, limit: limit, isTheirs, dialect)
    }

    /// - Parameter isTheirs: the condition that a row is of the person.
    private static func ledgerQuestion(
        of scope: TimelineScope, _ moments: [LedgerMoment], before place: TimelinePosition, limit: Int,
        _ isTheirs: SQLFragment, _ dialect: any Dialect
    ) -> SQLFragment {
        let branches = moments.map { moment -> SQLText in
            """
            SELECT campaign_id, device_id, CAST(\(moment.rawValue) AS BIGINT) AS what, \(moment.column) AS at
            FROM mine WHERE \(moment.column) IS NOT NULL
            """
        }
        // Without bounds: very many other devices may lie between those of a person.
        let areTheirs = dialect.isOneOf(scope.devices, "l.device_id", isFirst: true)
        let asked: [SQLValue] = [.integer(scope.app)] + areTheirs.arguments + isTheirs.arguments
        return SQLFragment(
            """
            WITH mine AS (
                SELECT l.campaign_id, l.device_id, l.updated_at, l.received_at, l.displayed_at, l.opened_at,
                    l.dismissed_at
                FROM deliveries l WHERE \(dialect.isFound("l.campaign_id", by: CampaignRepository.numbersOfApp))
                    AND \(areTheirs.sql) AND \(isTheirs.sql)),
            moments AS (\(branches.joined(by: " UNION ALL ")))
            SELECT campaign_id, device_id, what, at FROM moments
            WHERE at < ? OR (at = ? AND (campaign_id, device_id, what) < (?, ?, ?))
            ORDER BY at DESC, campaign_id DESC, device_id DESC, what DESC LIMIT ?
            """,
            asked + place.arguments(3) + [.integer(limit)]
        )
    }

    /// The entries of messages in the person's message centers.
    package func centerMessages(
        of scope: TimelineScope, before place: TimelinePosition, limit: Int
    ) throws -> [TimelineMoment<CenterMoment>] {
        try connection.query(
            """
            WITH mine AS (
                SELECT campaign_id, contact_id, sent_at, state, state_at, recalled_at FROM center_messages
                WHERE contact_id IN (\(connection.dialect.integers))),
            moments AS (
                SELECT campaign_id, contact_id, CAST(0 AS BIGINT) AS what, sent_at AS at FROM mine
                UNION ALL SELECT campaign_id, contact_id, CAST(1 AS BIGINT), state_at FROM mine
                    WHERE state = 'read' AND state_at IS NOT NULL
                UNION ALL SELECT campaign_id, contact_id, CAST(2 AS BIGINT), state_at FROM mine
                    WHERE state = 'deleted' AND state_at IS NOT NULL AND recalled_at IS NULL
                UNION ALL SELECT campaign_id, contact_id, CAST(3 AS BIGINT), recalled_at FROM mine
                    WHERE recalled_at IS NOT NULL)
            SELECT campaign_id, contact_id, what, at FROM moments
            WHERE at < ? OR (at = ? AND (campaign_id, contact_id, what) < (?, ?, ?))
            ORDER BY at DESC, campaign_id DESC, contact_id DESC, what DESC LIMIT ?
            """,
            [.integers(scope.holders)] + place.arguments(3) + [.integer(limit)]
        ) { row in
            let moment: TimelineMoment<CenterMoment> = try Self.moment(row, table: "center_messages")
            // The holder is an installation, or the contact itself.
            let holder = MessageHolder(number: ResultRow<Place>(row).integer(.device))
            var device: Int64?
            if case .installation(let number) = holder { device = number }
            return TimelineMoment(
                position: moment.position, campaign: moment.campaign, device: device, what: moment.what
            )
        }
    }

    /// The entries of in-app messages that the person's devices have for the person.
    package func inAppMessages(
        of scope: TimelineScope, before place: TimelinePosition, limit: Int
    ) throws -> [TimelineMoment<InAppMoment>] {
        let columns: [SQLText] = [
            "downloaded_at", "displayed_at", "clicked_at", "dismissed_at", "not_shown_at", "recalled_at",
        ]
        let branches = columns.enumerated().map { what, column -> SQLText in
            """
            SELECT campaign_id, device_id, contact_id, CAST(\(what) AS BIGINT) AS what, \(column) AS at
            FROM mine WHERE \(column) IS NOT NULL
            """
        }
        let isTheirs = try connection.contactParts.isPart(
            "contact_id", of: scope.contact,
            among: SQLFragment(
                """
                SELECT DISTINCT contact_id FROM in_app_copies WHERE device_id IN (\(connection.dialect.integers))
                """,
                [.integers(scope.devices)]
            )
        )
        return try connection.query(
            """
            WITH mine AS (
                SELECT campaign_id, device_id, contact_id, \(columns.joined(by: ", ")) FROM in_app_copies
                WHERE device_id IN (\(connection.dialect.integers))
                    AND \(isTheirs.sql)),
            moments AS (\(branches.joined(by: " UNION ALL ")))
            SELECT campaign_id, device_id, what, at, contact_id FROM moments
            WHERE at < ? OR (at = ? AND (campaign_id, device_id, what, contact_id) < (?, ?, ?, ?))
            ORDER BY at DESC, campaign_id DESC, device_id DESC, what DESC, contact_id DESC LIMIT ?
            """,
            [.integers(scope.devices)] + isTheirs.arguments + place.arguments(4) + [.integer(limit)]
        ) { row in
            let moment: TimelineMoment<InAppMoment> = try Self.moment(row, table: "in_app_copies")
            return TimelineMoment(
                position: TimelinePosition(
                    at: moment.position.at, numbers: moment.position.numbers + [ResultRow<Place>(row).integer(.contact)]
                ),
                campaign: moment.campaign, device: moment.device, what: moment.what
            )
        }
    }

    /// The selected values of an entry. For a message in a message center, the device column has the holder; for an
    /// in-app message there is the contact, too.
    private enum Place: Int, ResultPlace {
        case campaign, device, what, at, contact
    }

    private static func moment<What: RawRepresentable<Int64> & Hashable & Sendable>(
        _ row: any SQLRow, table: String
    ) throws -> TimelineMoment<What> {
        let row = ResultRow<Place>(row)
        let (number, device) = (row.integer(.campaign), row.integer(.device))
        guard let campaign = CampaignID(number), let what = What(rawValue: row.integer(.what)) else {
            throw StoreError.corrupted(table: table, key: String(number))
        }
        return TimelineMoment(
            position: TimelinePosition(at: row.integer(.at), numbers: [number, device, row.integer(.what)]),
            campaign: campaign, device: device, what: what
        )
    }
}
