import BelfryAPI
import BelfryCommand
import BelfryModel
import BelfryStore
import BelfryWire
import Foundation

/// Writes the people of `belfry bench message-center` and their messages directly into the server's database: to send
/// so many messages would take most of a benchmark's time.
struct MessageCenterBenchMessages {
    /// The message of one campaign, which all contacts have.
    private struct Message {
        let center: String
        let sentAt: Int64
        let campaign: Int64
    }

    /// The number of groups in which the contacts with a device are spread among the others.
    private static let groups = 20
    /// The number of contacts whose messages are written per transaction.
    private static let atOnce = 1_000
    /// The time between two campaigns of a message center, in seconds.
    private static let interval = 3_600.0

    let app: BenchApp
    let shape: MessageCenterShape

    /// Writes everything. Returns the devices that may fetch.
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

    /// Writes the contacts. Devices of some of them are linked through the API, because only the server can sign a
    /// device's tokens.
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
        // While nobody is logged in on an installation, messages belong to it and not to its contact (MC-15). Here all
        // contacts are known, so the messages belong to them.
        try await database.write { _ = try $0.execute("UPDATE contacts SET known = 1") }
        return devices
    }

    private static let insertContact: SQLText = """
        INSERT INTO contacts (app_id, contact_key, known, attributes, created_at, updated_at)
        VALUES (?, ?, 1, '{}', ?, ?)
        """

    /// The messages in the order of the file: by message center, oldest first.
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

    /// A message in the form in which a campaign's content is stored: its JSON members without the braces.
    private static func body(_ message: Message) -> String {
        let page = "https%3A%2F%2Fshop.example.com%2Fnews%2F\(message.campaign)"
        return #""subject":"News of the week, number \#(message.campaign)","message":"There is something new in your "#
            + #"town: have a look at what came in this week, and at what is left of last week.","#
            + #""deeplink_url":"\#(page)","icon_url":"\#(page)%2Ficon.png","#
            + #""message_center_name":"\#(message.center)","has_rich_content":false,"custom":{"topic":"news"}"#
    }

    /// Gives every contact every message; one in three is read.
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

    /// The statement's arguments are the messages, then the first and the last contact. The list's content is read
    /// once, not again for each contact.
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
