import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// The messages that a person sees in their message centers, and the badges of their devices, for support agents
/// (CON-8).
package struct ContactInbox: Hashable, Sendable {
    package struct Center: Hashable, Sendable {
        package let center: MessageCenter
        /// The messages in the order in which a device fetches them, newest first, without those of disabled centers.
        package let messages: [Message]
    }

    package struct Message: Hashable, Sendable {
        package let campaign: CampaignID
        package let subject: String
        package let text: String
        package let sentAt: Date
        package let expiresAt: Date?
        package let state: MessageState
    }

    package struct DeviceBadge: Hashable, Sendable {
        package let device: String
        package let platform: String?
        package let count: Int
    }

    package let contact: ContactProfile.Contact
    package let centers: [Center]
    /// Whether there are more messages than these.
    package let hasMore: Bool
    /// The badges of the newest devices, newest first.
    package let badges: [DeviceBadge]
}

extension PlacedMessageService {
    /// The most devices whose badges are shown. For an anonymous contact, also the most whose inboxes are shown.
    private static let maximumDevices = 20
    /// When the messages have more bytes than this, no further ones are shown (SEC-2).
    private static let maximumInboxBytes = 4 << 20

    /// The messages that a contact sees now. For an anonymous contact: those that its installations show.
    package func inbox(ofContact key: String, app: AppRecord) async throws -> ContactInbox {
        let now = environment.now()
        return try await database.read { connection in
            let contact = try AppLookup(connection: connection, app: app.id).contact(key)
            let devices = try connection.devices.outlines(ofContact: contact.id, limit: Self.maximumDevices)
            let holders: [MessageHolder] =
                contact.known ? [.contact(contact.id)] : devices.map { .installation($0.id) }
            let all = try connection.messageCenters.all(app: app.id)
            var messages: [MessageCenterName: [ContactInbox.Message]] = [:]
            var room = ByteRoom(Self.maximumInboxBytes)
            for holder in holders {
                let rows = try connection.centerMessages.newestByCenter(
                    contact: holder.number, in: all.filter(\.isEnabled).map(\.name), now: now,
                    perCenter: MessageCenterLimits.messagesPerCenter, in: &room
                )
                for (center, rows) in rows { messages[center, default: []] += try rows.map(ContactInbox.Message.init) }
            }
            return ContactInbox(
                contact: contact,
                centers: all.map { center in
                    let found = messages[center.name] ?? []
                    return ContactInbox.Center(
                        center: center,
                        messages: found.sorted { ($0.sentAt, $0.campaign) > ($1.sentAt, $1.campaign) }
                    )
                },
                hasMore: room.isCut,
                badges: try devices.map { device in
                    ContactInbox.DeviceBadge(
                        device: device.client.rawValue, platform: device.platform,
                        count: try connection.badges.find(device: device.id, maximum: app.settings.maximumBadge).count
                    )
                }
            )
        }
    }
}

extension ContactInbox.Message {
    /// Those members of a device's message that people read.
    private struct Said: Decodable {
        var subject: String?
        var message: String?
    }

    fileprivate init(_ row: MessageCenterMessageRow) throws {
        let body = [UInt8(ascii: "{")] + row.body + [UInt8(ascii: "}")]
        let said = try CheckedJSON.decode(Said.self, from: body)
        self.init(
            campaign: row.campaign, subject: said.subject ?? "", text: said.message ?? "", sentAt: row.sentAt,
            expiresAt: row.expiresAt, state: row.state
        )
    }
}
