import BelfryModel
import BelfryServerModel
import Foundation

/// The contents of campaigns after each edit (CON-5).
package struct CampaignVersionRepository {
    /// The most versions of a campaign; when there is one more, the oldest is deleted.
    package static let maximumKept = 100

    let connection: any SQLConnection

    static let source: SQLText = "campaign_versions v LEFT JOIN users u ON u.id = v.author_user"

    /// Stores the present content of a campaign, or a proposed one.
    ///
    /// - Returns: the number of the version.
    @discardableResult
    package func insert(
        _ draft: CampaignDraft, of id: CampaignID, app: Int64, by author: Author?, isPublished: Bool,
        resetsDisplays: Bool, now: Date
    ) throws -> Int64 {
        let number = try (newest(of: id)?.number ?? 0) + 1
        let content = try JSONText.encode(draft)
        try connection.execute(
            """
            INSERT INTO campaign_versions (campaign_id, number, app_id, saved_at, author_user, author_key, published,
                resets_displays, names_people, content)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [.integer(id.number), .integer(number), .integer(app), .date(now)] + Author.values(author) + [
                .flag(isPublished), .flag(resetsDisplays), .flag(Self.mayNamePeople(content)), .text(content),
            ]
        )
        try removeOldest(of: id, newest: number)
        return number
    }

    /// The published content is always kept, however many proposed changes there are.
    private func removeOldest(of id: CampaignID, newest: Int64) throws {
        guard newest > Int64(Self.maximumKept) else { return }
        try connection.execute(
            """
            DELETE FROM campaign_versions WHERE campaign_id = ? AND number <= ? AND number <>
                (SELECT coalesce(max(number), 0) FROM campaign_versions WHERE campaign_id = ? AND published = 1)
            """,
            [.integer(id.number), .integer(newest - Int64(Self.maximumKept)), .integer(id.number)]
        )
    }

    package func newest(of id: CampaignID) throws -> CampaignVersionRow? {
        try list(of: id, before: nil, limit: 1).first
    }

    /// A campaign's versions, newest first, below the cursor.
    package func list(of id: CampaignID, before cursor: Int64?, limit: Int) throws -> [CampaignVersionRow] {
        try connection.query(
            Self.listSQL, [.integer(id.number), .integer(cursor ?? .max), .integer(limit)], CampaignVersionRow.init
        )
    }

    /// Its arguments are the campaign, the cursor and the limit.
    package static let listSQL: SQLText = """
        SELECT \(CampaignVersionRow.columns) FROM \(source) WHERE v.campaign_id = ? AND v.number < ?
        ORDER BY v.number DESC LIMIT ?
        """

    package func find(_ number: Int64, of id: CampaignID) throws -> CampaignVersionRow? {
        try connection.first(
            "SELECT \(CampaignVersionRow.columns) FROM \(Self.source) WHERE v.campaign_id = ? AND v.number = ?",
            [.integer(id.number), .integer(number)], CampaignVersionRow.init
        )
    }

    /// The content of a version; nil if it does not exist.
    package func content(_ number: Int64, of id: CampaignID) throws -> CampaignDraft? {
        try connection.first(
            "SELECT content FROM campaign_versions WHERE campaign_id = ? AND number = ?",
            [.integer(id.number), .integer(number)]
        ) { try JSONText.decode(CampaignDraft.self, $0.text(0)) }
    }

    /// Publishes a version: it becomes the campaign's content.
    package func publish(_ number: Int64, of id: CampaignID) throws {
        try connection.execute(
            "UPDATE campaign_versions SET published = 1 WHERE campaign_id = ? AND number = ?",
            [.integer(id.number), .integer(number)]
        )
    }

    /// The newest version of each of these campaigns, by the campaign's number.
    package func newest(of campaigns: [Int64]) throws -> [Int64: Int64] {
        let rows = try connection.query(
            """
            SELECT campaign_id, max(number) FROM campaign_versions
            WHERE campaign_id IN (\(connection.dialect.integers)) GROUP BY campaign_id
            """,
            [.integers(campaigns)]
        ) { ($0.integer(0), $0.integer(1)) }
        return Dictionary(rows) { first, _ in first }
    }

    /// Calls a function for each version of a campaign that may name people, one after the other, since versions may be
    /// long (SEC-2), and returns the results. Versions that cannot be read are left out.
    package func peopleNaming<Element>(
        of id: CampaignID, _ make: (_ number: Int64, CampaignDraft) throws -> Element?
    ) throws -> [Element] {
        let numbers = try connection.query(
            "SELECT number FROM campaign_versions WHERE campaign_id = ? AND names_people = 1 ORDER BY number",
            [.integer(id.number)]
        ) { $0.integer(0) }
        return try numbers.compactMap { number -> Element? in
            let text = try connection.first(
                "SELECT content FROM campaign_versions WHERE campaign_id = ? AND number = ?",
                [.integer(id.number), .integer(number)]
            ) { $0.text(0) }
            guard let text, let draft = try? JSONText.decode(CampaignDraft.self, text) else { return nil }
            return try make(number, draft)
        }
    }

    /// Changes the contents of a campaign's versions that may name people.
    ///
    /// - Parameter change: the new content; nil if a version stays unchanged. Versions that cannot be read stay
    ///   unchanged.
    package func rewrite(of id: CampaignID, _ change: (CampaignDraft) -> CampaignDraft?) throws {
        _ = try peopleNaming(of: id) { number, draft -> Int64? in
            guard let changed = change(draft) else { return nil }
            let content = try JSONText.encode(changed)
            try connection.execute(
                "UPDATE campaign_versions SET content = ?, names_people = ? WHERE campaign_id = ? AND number = ?",
                [
                    .text(content), .flag(Self.mayNamePeople(content)), .integer(id.number), .integer(number),
                ]
            )
            return number
        }
    }

    package func deleteAll(of id: CampaignID) throws {
        try connection.execute("DELETE FROM campaign_versions WHERE campaign_id = ?", [.integer(id.number)])
    }

    /// Whether a content may name contacts or devices, by the same search as
    /// ``CampaignRepository/namingPeople(app:after:limit:)``.
    private static func mayNamePeople(_ content: String) -> Bool {
        // The system's search is used, since HTML pages make contents long. JSON has no null byte that would end it
        // early.
        let keys: [String] = ["\"contactKeys\"", "\"deviceIds\"", "\"party\""]
        return content.withCString { content in keys.contains { strstr(content, $0) != nil } }
    }
}

extension SQLConnection {
    package var campaignVersions: CampaignVersionRepository { CampaignVersionRepository(connection: self) }
}
