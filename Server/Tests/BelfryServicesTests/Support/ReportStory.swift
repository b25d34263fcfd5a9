import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import BelfryTestSupport
import Foundation

/// A device that four people have used, one after another, and the messages that each of them got on it: what events may
/// tell of. Two stories may be alike down to the numbers of their rows (``alike(_:)``).
struct ReportStory: Sendable {
    let world: ServiceWorld
    /// With the contact that has it now.
    let device: ServiceDevice
    let inApp: [CampaignID]
    /// What an event may name itself by: former people's references, an erased one's, none of ours, and none at all.
    let references: [String?]
    /// What an event may say of a push.
    let pushes: [String]
    /// What an event may say of a message in a center.
    let messages: [String]

    init(_ engine: Engine) async throws {
        world = try await ServiceWorld(engine)
        var phone = InAppPhone(try await ServiceDevice.registered(world, 1, token: "token1"))
        let other = try await ServiceDevice.registered(world, 2, token: "token2")
        inApp = [try await world.offer(), try await world.offer(), try await world.offer()]
        let centers = [
            try await world.launch(message: ServiceWorld.message),
            try await world.launch(message: ServiceWorld.message, audience: .contactKeys(["anna"])),
        ]
        let push = try await world.launch()
        try await world.sendToTheEnd()
        var references = [phone.device.contactReference]
        var messages = ["no id", try await world.messageID(push, phone.device)]
        for id in centers { messages.append(try await world.messageID(id, phone.device)) }
        try await phone.sync()
        for (number, name) in ["anna", "cora", "bert"].enumerated() {
            try await phone.device.identify(name)
            references.append(phone.device.contactReference)
            // The second message's displays were reset: those of its older versions are of another epoch.
            try await world.edit(inApp[number]) { $0.name += "!" }
            if number == 1 { try await world.edit(inApp[1], resetDisplays: true) { $0.name += "!" } }
            for id in centers { messages.append(try await world.messageID(id, phone.device)) }
            // Nobody downloads the third message but the first two.
            if number < 2 { try await phone.sync() }
        }
        _ = try await world.contacts.erase("cora", app: world.app)
        self.references = references + ["none of ours", nil]
        self.messages = messages
        pushes =
            ([push] + inApp).map { MessageID.make(campaign: $0, device: phone.device.client).text } + [
                MessageID.make(campaign: push, device: other.client).text
            ]
        device = phone.device
    }

    /// Two of them with the same numbers. PostgreSQL's have a gap where two transactions met: then they are made anew.
    static func alike(_ engine: Engine) async throws -> (ReportStory, ReportStory) {
        for _ in 0..<10 {
            let (one, other) = (try await ReportStory(engine), try await ReportStory(engine))
            if one.references == other.references && one.pushes == other.pushes && one.messages == other.messages
                && one.inApp == other.inApp && one.world.app.id == 1
            {
                return (one, other)
            }
        }
        throw Unlike()
    }

    private struct Unlike: Error {}

    /// What an upload answers: the places of what was new and is of the contact that the device has.
    func upload(_ events: [Event], to database: (any SQLDatabase)? = nil) async throws -> [Int] {
        let intake = EventIngestion(
            database: database ?? world.database, keys: world.keys, environment: world.environment,
            metrics: world.metrics
        )
        return try await intake.store(events, caller: device.authenticated()).value
    }

    private static let tables: [(name: String, columns: String)] = [
        ("events", "device_id, event_id, contact_id, name, at, attributes"),
        (
            "in_app_copies",
            """
            campaign_id, device_id, contact_id, version, downloaded_at, epoch, shown, displays, displayed_at, clicks,
            clicked_at, dismissals, dismissed_at, screen_time, not_shown_reason, not_shown_sentence, not_shown_at
            """
        ),
        ("in_app_clicks", "campaign_id, device_id, contact_id, clicks, button_id"),
        ("in_app_not_shown", "campaign_id, device_id, contact_id, times, reason"),
        ("deliveries", "campaign_id, device_id, state, received_at, displayed_at, opened_at, dismissed_at"),
        ("center_engagement", "campaign_id, device_id, displays, opens, displayed_at, opened_at"),
        // The wide rows follow an opening within a day: what they say of one depends on when it was heard of (FLEET-2).
        ("devices", "id, contact_id, updated_at"),
        ("contacts", "id, updated_at"),
        ("device_openings", "device_id, at"),
        ("contact_openings", "contact_id, at"),
        ("audience_1 a JOIN device_openings o ON o.device_id = a.device_id", "a.device_id, o.at"),
    ]

    /// All that events have left, row by row.
    func rows() async throws -> [String] {
        try await world.database.read { connection in
            try Self.tables.flatMap { table in
                let count = table.columns.split(separator: ",").count
                let statement = "SELECT \(table.columns) FROM \(table.name)"
                return try connection.query(SQLText(ofTest: statement), []) { row in
                    let values = (0..<count).map { row.isNull($0) ? "null" : "'\(row.text($0))'" }
                    return "\(table.name): \(values.joined(separator: ", "))"
                }.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
            }
        }
    }
}

/// Events of such a device, by chance.
extension ReportStory {
    func events(_ count: Int, using dice: inout SeededGenerator) throws -> [Event] {
        try (0..<count).map { _ in try event(using: &dice) }
    }

    private func event(using dice: inout SeededGenerator) throws -> Event {
        let names: [EventName] = [
            .inAppViewed, .inAppViewed, .inAppClick, .inAppClick, .inAppClick, .inAppDismiss, .inAppNotShown,
            .pushReceived, .pushDisplayed, .pushClick, .pushDismiss, .messageCenterDisplay, .messageCenterOpen,
            .sessionStart, .appStart,
        ]
        let name = names.randomElement(using: &dice) ?? .appStart
        return Event(
            // Some come twice, also with something else to say.
            id: try EventID("e\(Int.random(in: 0..<2_000, using: &dice))"),
            kind: Int.random(in: 0..<20, using: &dice) == 0 ? .custom : .internal, name: name,
            timestamp: moment(using: &dice), attributes: try JSONText.encode(attributes(of: name, using: &dice)),
            contactReference: references.randomElement(using: &dice) ?? nil
        )
    }

    /// Devices' clocks go as they like, and several things happen within a millisecond.
    private func moment(using dice: inout SeededGenerator) -> Date {
        switch Int.random(in: 0..<10, using: &dice) {
        case 0: Date(milliseconds: Int64.random(in: -3...3, using: &dice))
        case 1: ServiceWorld.epoch.addingTimeInterval(Double.random(in: 0...0.002, using: &dice))
        case 2: ServiceWorld.epoch.addingTimeInterval(1e9)
        default: ServiceWorld.epoch.addingTimeInterval(Double(Int.random(in: -60...60, using: &dice)))
        }
    }

    private func attributes(
        of name: EventName, using dice: inout SeededGenerator
    ) -> [String: AttributeValue] {
        guard name.rawValue.hasPrefix("inapp:"), let campaign = inApp.randomElement(using: &dice) else {
            var attributes: [String: AttributeValue] = [:]
            attributes["sid"] = pushes.randomElement(using: &dice).map { .string($0) }
            attributes["messageId"] = messages.randomElement(using: &dice).map { .string($0) }
            return attributes
        }
        var attributes: [String: AttributeValue] = ["campaignId": .string(campaign.description)]
        if Int.random(in: 0..<10, using: &dice) == 0 {
            attributes["messageId"] = pushes.randomElement(using: &dice).map { .string($0) }
        }
        switch name {
        case .inAppViewed:
            if Bool.random(using: &dice) {
                attributes["version"] = .number(Double(Int.random(in: 0...4, using: &dice)))
            }
        case .inAppClick:
            attributes["buttonId"] = Self.buttons.randomElement(using: &dice).map { .string($0) }
            if Int.random(in: 0..<8, using: &dice) == 0 { attributes["buttonId"] = nil }
        case .inAppDismiss:
            let seconds = [nil, -1, 0, 0.0004, 1.5, 12.3456, 1e9].randomElement(using: &dice) ?? nil
            attributes["seconds"] = seconds.map { .number($0) }
        case .inAppNotShown:
            attributes["reason"] = ["paused", "anotherShown", "invented"].randomElement(using: &dice).map {
                .string($0)
            }
            if Bool.random(using: &dice) { attributes["sentence"] = .string("s\(Int.random(in: 0..<9, using: &dice))") }
        default: break
        }
        return attributes
    }

    /// More than are counted separately; two of them look alike.
    private static let buttons = (0..<26).map { "b\($0)" } + ["other", "caf\u{e9}", "cafe\u{301}"]
}
