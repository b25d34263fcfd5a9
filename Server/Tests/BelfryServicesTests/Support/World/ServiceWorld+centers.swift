import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation

/// What campaigns leave on the server: messages in centers, and badges.
extension ServiceWorld {
    static let message = MessageCenterContent(subject: "News", message: "Only today")

    /// A campaign that keeps a message, launched and not yet planned.
    ///
    /// - Parameter push: nil for a message without a notification.
    func launch(
        message: MessageCenterContent, push: PushContent? = nil, audience: Condition = .everyone,
        schedule: CampaignSchedule? = nil
    ) async throws -> CampaignID {
        let draft = CampaignDraft(
            name: "News", kind: push == nil ? .messageCenter : .pushAndMessageCenter, audience: audience, push: push,
            messageCenter: message, schedule: schedule
        )
        let id = try await campaigns.drafts.create(draft, app: app).id
        _ = try await campaigns.life.launch(id, app: app)
        return id
    }

    /// A message to everyone, which is placed, and some time after it.
    func sendMessage() async throws -> CampaignID {
        let id = try await launch(message: Self.message)
        try await sendToTheEnd()
        clock.advance(by: 10)
        return id
    }

    /// Whose messages the device shows; nil without a contact.
    func holder(_ device: ServiceDevice) async throws -> MessageHolder? {
        let (client, app) = (device.client, app.id)
        return try await database.read { connection in
            guard let row = try connection.devices.find(app: app, client: client), let contact = row.contact else {
                return nil
            }
            return try connection.contacts.isKnown(contact) ? .contact(contact) : .installation(row.id)
        }
    }

    /// What the device shows of the primary center, newest first.
    func inbox(_ device: ServiceDevice) async throws -> [MessageCenterMessageRow] {
        guard let holder = try await holder(device)?.number else { return [] }
        let now = clock.now
        return try await database.read { connection in
            try connection.centerMessages.newest(contact: holder, center: .primary, now: now, limit: 20)
        }
    }

    /// The service behind the calls of devices.
    var inboxService: InboxService { InboxService(database: database, keys: keys, environment: environment) }

    func badge(_ client: DeviceID) async throws -> Badge {
        let app = app.id
        return try await database.read { connection in
            guard let device = try connection.devices.find(app: app, client: client) else { return .none }
            return try connection.badges.find(device: device.id)
        }
    }

    /// The device's state in the ledger and its reason, in a word.
    func outcome(_ id: CampaignID, _ device: ServiceDevice) async throws -> String {
        guard let row = try await delivery(id, device) else { return "absent" }
        return row.reason?.rawValue ?? row.state.rawValue
    }

    /// The id of the message that the device has of a campaign.
    func messageID(_ id: CampaignID, _ device: ServiceDevice) async throws -> String {
        MessageID.make(campaign: id, contact: try await holder(device)?.number ?? 0).text
    }

    /// A device that registered with a token of its number, whose user has opted out.
    func optedOutDevice(_ number: Int) async throws -> ServiceDevice {
        var device = try await ServiceDevice.registered(self, number, token: "token\(number)")
        _ = try await device.register {
            $0.pushToken = "token\(number)"
            $0.pushEnabled = false
        }
        try await process()
        return device
    }
}

extension ScriptedTransport.Request {
    /// The JSON of an APNs request.
    private var json: [String: Any]? {
        try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
    }

    private var belfry: [String: Any]? { json?["belfry"] as? [String: Any] }

    /// What the device is asked to fetch.
    var sync: [String]? { belfry?["sync"] as? [String] }

    /// The badge with its revision.
    var badge: Badge? {
        guard let badge = belfry?["badge"] as? [String: Any], let count = badge["count"] as? Int,
            let revision = badge["revision"] as? Int
        else { return nil }
        return Badge(count: count, revision: Int64(revision))
    }

    /// What the system shows on the icon.
    var iconBadge: Int? { (json?["aps"] as? [String: Any])?["badge"] as? Int }

    var isShown: Bool { (json?["aps"] as? [String: Any])?["alert"] != nil }
}
