import BelfryModel
import BelfryStore
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

/// A message that a campaign has kept in a center.
package struct TestMessage: Sendable {
    package var campaign: Int64 = 1
    package var center = "Primary"
    package var subject = "Hello"
    package var sentAt: Date
    package var expiresAt: Date?
    package var deeplinkURL: String?
    package var iconURL: String?
    package var custom: [String: AttributeValue]?
    package var html: String?

    package init(_ campaign: Int64 = 1, center: String = "Primary", at sentAt: Date, html: String? = nil) {
        self.campaign = campaign
        self.center = center
        self.sentAt = sentAt
        self.html = html
    }

    /// As it is stored: without id, time and state.
    fileprivate func members() throws -> String {
        let body = MessageCenterMessageBody(
            id: "", sentAt: "", subject: subject, message: "Message \(campaign)",
            deeplinkURL: deeplinkURL.map(WireURL.encoded), iconURL: iconURL.map(WireURL.encoded),
            expiresAt: expiresAt.map(Timestamp.text), center: center, hasRichContent: html != nil, custom: custom
        )
        var json = try JSONValue(encoding: body)
        for key in ["id", "sent_ts", "state"] { json[key] = nil }
        return String(json.text.dropFirst().dropLast())
    }
}

extension TestServer {
    /// Keeps a message for the contact that the device has now, or for its installation.
    package func keep(_ message: TestMessage, for device: TestDevice) async throws {
        let app = try AppCode(device.app)
        let client = try DeviceID(device.id)
        let campaign = try #require(CampaignID(message.campaign))
        let center = try MessageCenterName(message.center)
        let members = try message.members()
        try await database.write { connection in
            let app = try #require(try connection.apps.find(app))
            let row = try #require(try connection.devices.find(app: app.id, client: client))
            let contact = try #require(row.contact)
            let holder =
                try connection.contacts.isKnown(contact) ? MessageHolder.contact(contact) : .installation(row.id)
            try connection.centerMessages.keep([
                KeptMessage(
                    contact: holder.number, center: center, sentAt: message.sentAt, campaign: campaign, app: app.id,
                    expiresAt: message.expiresAt, body: members, richHTML: message.html
                )
            ])
        }
    }
}

extension TestDevice {
    package mutating func messages(in center: String = "Primary") async throws -> [MessageCenterMessageBody] {
        try await call(.get, "/client/message-centers/\(center)/messages").json(MessageCenterMessagesResponse.self)
            .messages
    }

    package mutating func centers() async throws -> MessageCentersResponse {
        try await call(.get, "/client/message-centers").json(MessageCentersResponse.self)
    }

    package mutating func badge() async throws -> Badge {
        try await call(.get, "/client/badge").json(Badge.self)
    }
}
