import BelfryAPI
import BelfryCommand
import BelfryModel
import BelfryStore
import BelfryWire
import Foundation

/// The people of `belfry bench message-center` and what lies in their centers, written straight into the server's file:
/// to send so many messages would take most of a benchmark's time.
struct MessageCenterBenchMessages {
    /// One campaign's message, which all contacts have.
    private struct Message {
        let center: String
        let sentAt: Int64
        let campaign: Int64
    }

    /// The contacts with a device lie among the others in so many groups.
    private static let groups = 20
    /// Contacts whose messages one transaction writes.
    private static let atOnce = 1_000
    /// Between two campaigns of a center, in seconds.
    private static let interval = 3_600.0

    let app: BenchApp
    let shape: MessageCenterShape

    /// Returns the devices that may fetch.
    func write() async throws -> [BenchDevice] {
        let names = (0..<shape.centers).map { $0 == 0 ? MessageCenterName.primary.rawValue : "center-\($0)" }
        for name in names.dropFirst() {
            _ = try await app.server.admin.call(
                MessageCenterRoutes.putMessageCenter, app.code, name, body: MessageCenterChange()
            )
        }
        let devices = try await app.server.database.opened { database in
            let now = Date()
            let devices = try await writePeople(database, now: now)
            let messages = Self.messages(in: names, before: now)
            try await writeContents(of: messages, database)
            try await fill(with: messages, database)
            return devices
        }
        try app.server.database.settle()
        return devices
    }

    /// Contacts, and devices of some of them by the API: only the server can sign what a device calls with.
    private func writePeople(_ database: any SQLDatabase, now: Date) async throws -> [BenchDevice] {
        let number = try await database.read { [code = app.code] in try $0.apps.find(AppCode(code))?.id ?? 0 }
        let others = shape.contacts - shape.devices
        var devices: [BenchDevice] = []
        for group in 0..<Self.groups {
            let rows = (others * group / Self.groups..<others * (group + 1) / Self.groups).map { person -> [SQLValue] in
                [.integer(number), .text("person-\(person)"), .date(now), .date(now)]
            }
            try await database.write { connection in
                _ = try connection.executeEach(Self.insertContact, rows)
            }
            let last = shape.devices * (group + 1) / Self.groups
            devices += try await app.link(last - devices.count)
        }
        // Who is logged in nowhere has an inbox of their own; here all are contacts.
        try await database.write { _ = try $0.execute("UPDATE contacts SET known = 1") }
        return devices
    }

    private static let insertContact: SQLText = """
        INSERT INTO contacts (app_id, contact_key, known, attributes, created_at, updated_at)
        VALUES (?, ?, 1, '{}', ?, ?)
        """

    /// In the order in which they lie in the file: by center, the oldest first.
    private static func messages(in centers: [String], before now: Date) -> [Message] {
        let each = MessageCenterLimits.messagesPerCenter
        return centers.sorted().enumerated().flatMap { place, center in
            (0..<each).map { number in
                let sentAt = now.addingTimeInterval(Double(number - each) * interval)
                return Message(
                    center: center, sentAt: sentAt.milliseconds, campaign: Int64(number * centers.count + place + 1)
                )
            }
        }
    }

    private func writeContents(of messages: [Message], _ database: any SQLDatabase) async throws {
        let rows: [[SQLValue]] = messages.map { [.integer($0.campaign), .text(Self.body($0))] }
        try await database.write { connection in
            _ = try connection.executeEach(Self.insertContent, rows)
        }
    }

    private static let insertContent: SQLText = """
        INSERT INTO center_contents (campaign_id, variant, body) VALUES (?, '', ?)
        """

    /// As a campaign's content is stored: the members of the message without the braces.
    private static func body(_ message: Message) -> String {
        let page = "https%3A%2F%2Fshop.example.com%2Fnews%2F\(message.campaign)"
        return #""subject":"News of the week, number \#(message.campaign)","message":"There is something new in your "#
            + #"town: have a look at what came in this week, and at what is left of last week.","#
            + #""deeplink_url":"\#(page)","icon_url":"\#(page)%2Ficon.png","#
            + #""message_center_name":"\#(message.center)","has_rich_content":false,"custom":{"topic":"news"}"#
    }

    /// Every contact gets every message; one in three is read.
    private func fill(with messages: [Message], _ database: any SQLDatabase) async throws {
        let sql = Self.insertMessages(messages.count)
        let list: [SQLValue] = messages.flatMap { [.text($0.center), .integer($0.sentAt), .integer($0.campaign)] }
        let last = try await database.read { connection in
            try connection.first("SELECT max(id) FROM contacts", []) { $0.integer(0) } ?? 0
        }
        for first in stride(from: 1, through: last, by: Self.atOnce) {
            try await database.write { connection in
                _ = try connection.execute(
                    sql, list + [.integer(first), .integer(first + Int64(Self.atOnce) - 1)]
                )
            }
        }
    }

    /// The messages, and then the first contact and the last, are its arguments. What the list holds is read once, and
    /// not anew for each contact.
    private static func insertMessages(_ count: Int) -> SQLText {
        """
        WITH messages (center, sent_at, campaign) AS MATERIALIZED (
            VALUES \(SQLText.repeated("(?, ?, ?)", count, by: ", ")))
        INSERT INTO center_messages (contact_id, center, sent_at, campaign_id, app_id, variant, state)
        SELECT c.id, m.center, m.sent_at, m.campaign, c.app_id, '',
            CASE WHEN (c.id + m.campaign) % 3 = 0 THEN 'read' ELSE 'unread' END
        FROM contacts c CROSS JOIN messages m WHERE c.id BETWEEN ? AND ?
        """
    }
}
