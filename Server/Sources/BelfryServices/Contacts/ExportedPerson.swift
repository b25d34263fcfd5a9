import BelfryModel
import BelfryServerModel
import BelfryStore

/// A person's contact in an export (ADM-4).
package struct ExportedContact: Hashable, Sendable, Codable {
    package var contactKey: String
    package var aliases: [String]
    package var known: Bool
    package var partyIdentifier: PartyIdentifier?
    package var attributes: [String: AttributeValue]
    /// When each attribute was set.
    package var attributesSetAt: [String: String]
    package var tags: [String]
    package var lastOpenedAt: String?
    package var createdAt: String
}

package struct ExportedDevice: Hashable, Sendable, Codable {
    package var deviceId: String
    /// Whether the device belongs to the contact now.
    package var isPresent: Bool
    /// The whole token, because it is part of the stored data.
    package var pushToken: String?
    package var pushProvider: PushProvider?
    package var pushEnvironment: PushEnvironment?
    package var pushEnabled: Bool?
    package var osPushEnabled: Bool?
    package var optOut: ExportedOptOut?
    package var system: SystemProperties?
    /// The attributes of the contact that the device registered last.
    package var attributes: [String: AttributeValue]?
    package var badge: Int?
    package var lastOpenedAt: String?
    package var createdAt: String?
    package var updatedAt: String?
}

/// A device that came to the person, or left.
package struct ExportedLink: Hashable, Sendable, Codable {
    package var deviceId: String
    package var at: String
    /// True if the device came, false if it left.
    package var began: Bool
    package var cause: ContactLinkCause
    /// Whether the contact had a key from the app.
    package var known: Bool
}

package struct ExportedRegistration: Hashable, Sendable, Codable {
    package var deviceId: String
    package var id: String
    package var revision: Int64
    package var receivedAt: String
    package var status: ReceiptStatus
    package var rejected: [RejectedField]
    /// As the device reported it.
    package var said: JSONObject?
}

/// The result of a rehearsal for a device.
package struct ExportedRehearsal: Hashable, Sendable, Codable {
    package var deviceId: String
    package var campaign: String
    package var rehearsal: String
    package var state: DeliveryState
    package var reason: String?
    /// When the message would be sent, or the delivery would end.
    package var at: String
}

package struct ExportedEvent: Hashable, Sendable, Codable {
    package var deviceId: String
    package var id: String
    package var type: String
    package var name: String
    /// The time by the device's clock.
    package var timestamp: String
    package var correctedTimestamp: String?
    package var receivedAt: String
    package var sessionId: String?
    package var attributes: [String: AttributeValue]
}

package struct ExportedMessage: Hashable, Sendable, Codable {
    /// The device in whose own inbox the message is; nil for the contact's inbox.
    package var deviceId: String?
    package var campaign: String
    package var center: String
    package var sentAt: String
    package var expiresAt: String?
    package var state: MessageState
    package var stateAt: String?
    /// The message as devices get it.
    package var content: JSONObject
    package var richHtml: String?
    /// The devices that have stored the message's rich content.
    package var richStored: [ExportedMoment]
}

/// When something happened on a device.
package struct ExportedMoment: Hashable, Sendable, Codable {
    package var deviceId: String
    package var at: String
}

package struct ExportedDelivery: Hashable, Sendable, Codable {
    package var deviceId: String
    package var campaign: String
    package var name: String?
    package var kind: CampaignKind?
    package var state: DeliveryState
    package var reason: String?
    package var note: String?
    package var attempts: Int
    package var updatedAt: String
    package var receivedAt: String?
    package var displayedAt: String?
    package var openedAt: String?
    package var dismissedAt: String?
    /// Displays in a message center, on this device.
    package var displays: Int?
    package var opens: Int?
}

package struct ExportedInAppMessage: Hashable, Sendable, Codable {
    package var deviceId: String
    package var campaign: String
    package var name: String?
    package var version: Int
    package var downloadedAt: String?
    package var displays: Int
    package var displayedAt: String?
    package var clicks: Int
    package var clickedAt: String?
    package var dismissals: Int
    package var dismissedAt: String?
    package var secondsOnScreen: Double
    package var clicksByButton: [String: Int]
    package var timesNotShown: [String: Int]
    package var notShownReason: String?
    package var notShownAt: String?
    package var recalledAt: String?
}

package struct ExportedOptOut: Hashable, Sendable, Codable {
    package var reason: OptOutReason
    package var at: String
}
