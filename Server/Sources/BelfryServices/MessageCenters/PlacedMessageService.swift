import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// A message that a campaign has placed, as a marketer sees it (MC-16).
package struct PlacedMessage: Hashable, Sendable {
    package let id: MessageID
    package let row: PlacedMessageRow
}

/// Lists the messages that campaigns have placed in message centers, and recalls them (MC-16).
package struct PlacedMessageService: Sendable {
    let database: any SQLDatabase
    let environment: ServerEnvironment

    package init(database: any SQLDatabase, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// The messages of a campaign after the cursor, by the numbers of their holders, and the next cursor.
    package func messages(
        of id: CampaignID, app: AppRecord, after cursor: Int64?, limit: Int
    ) async throws -> (messages: [PlacedMessage], next: Int64?) {
        try await database.read { connection in
            _ = try AppLookup(connection: connection, app: app.id).campaign(id)
            let rows = try connection.placedMessages.ofCampaign(id, after: cursor, limit: limit + 1)
            let (shown, next) = rows.cut(to: limit) { $0.holder.number }
            return (shown.map(PlacedMessage.init), next)
        }
    }

    /// The messages of a contact, the newest campaign first. For an anonymous contact: those of its devices'
    /// installations.
    package func messages(
        ofContact key: String, app: AppRecord, before cursor: Int64?, limit: Int
    ) async throws -> (messages: [PlacedMessage], next: Int64?) {
        try await database.read { connection in
            let holders = try Self.holders(of: key, app: app.id, in: connection)
            // A campaign's messages to several installations stay on one page.
            let rows = try connection.placedMessages.ofHolders(holders, before: cursor, limit: limit + holders.count)
            guard rows.count > limit else { return (rows.map(PlacedMessage.init), nil) }
            let cut = rows[limit].campaign
            let whole = rows.prefix { $0.campaign > cut }
            let page = whole.isEmpty ? rows.prefix { $0.campaign == cut } : whole
            return (page.map(PlacedMessage.init), page.last?.campaign.number)
        }
    }

    /// Recalls a campaign's message from one contact: nobody sees it any more, and it is not placed again.
    package func recall(_ id: CampaignID, fromContact key: String, app: AppRecord) async throws {
        let now = environment.now()
        try await database.write { connection in
            let lookup = AppLookup(connection: connection, app: app.id)
            _ = try lookup.campaign(id)
            try connection.hold { try [lookup.contact(key).id] }
            let holders = try Self.holders(of: key, app: app.id, in: connection)
            let count = try connection.placedMessages.recall(id, from: holders, at: now)
            guard count > 0 else {
                throw ServiceError.notFound(what: "message", id: id.description, code: "unknownMessage")
            }
        }
    }

    private static func holders(
        of key: String, app: Int64, in connection: any SQLConnection
    ) throws -> [MessageHolder] {
        let contact = try AppLookup(connection: connection, app: app).contact(key)
        return try MessageHolders(connection: connection).holders(of: contact)
    }
}

extension PlacedMessage {
    init(_ row: PlacedMessageRow) {
        self.init(id: .make(campaign: row.campaign, contact: row.holder.number), row: row)
    }
}
