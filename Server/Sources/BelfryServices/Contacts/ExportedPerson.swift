import BelfryModel
import BelfryServerModel
import BelfryStore

/// What an export has of a person, as it is written (ADM-4).
package struct ExportedContact: Hashable, Sendable, Codable {
    package var contactKey: String
    package var aliases: [String]
    package var known: Bool
    package var partyIdentifier: PartyIdentifier?
    package var attributes: [String: AttributeValue]
    /// When each of them was set.
    package var attributesSetAt: [String: String]
    package var tags: [String]
    package var lastOpenedAt: String?
    package var createdAt: String
}

package struct ExportedDevice: Hashable, Sendable, Codable {
    package var deviceId: String
    /// Whether it is the contact's now.
    package var isPresent: Bool
    /// Whole: it belongs to what is known.
    package var pushToken: String?
    package var pushProvider: PushProvider?
    package var pushEnvironment: PushEnvironment?
    package var pushEnabled: Bool?
    package var osPushEnabled: Bool?
    package var optOut: ExportedOptOut?
    package var system: SystemProperties?
    /// What it has said of the contact last.
    package var attributes: [String: AttributeValue]?
    package var badge: Int?
    package var lastOpenedAt: String?
    package var createdAt: String?
    package var updatedAt: String?
}

/// A device came to the person, or left.
package struct ExportedLink: Hashable, Sendable, Codable {
    package var deviceId: String
    package var at: String
    /// Whether it came; otherwise it left.
    package var began: Bool
    package var cause: ContactLinkCause
    /// Whether the app had named the contact.
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

/// What a rehearsal has found for a device.
package struct ExportedRehearsal: Hashable, Sendable, Codable {
    package var deviceId: String
    package var campaign: String
    package var rehearsal: String
    package var state: DeliveryState
    package var reason: String?
    /// When it would leave, or end.
    package var at: String
}

package struct ExportedEvent: Hashable, Sendable, Codable {
    package var deviceId: String
    package var id: String
    package var type: String
    package var name: String
    /// By the device's clock.
    package var timestamp: String
    package var correctedTimestamp: String?
    package var receivedAt: String
    package var sessionId: String?
    package var attributes: [String: AttributeValue]
}

package struct ExportedMessage: Hashable, Sendable, Codable {
    /// The device in whose own inbox it is; nil: it is in the contact's.
    package var deviceId: String?
    package var campaign: String
    package var center: String
    package var sentAt: String
    package var expiresAt: String?
    package var state: MessageState
    package var stateAt: String?
    /// As devices get it.
    package var content: JSONObject
    package var richHtml: String?
    /// The devices that have stored its rich content.
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
    /// In a message center, on this device.
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
