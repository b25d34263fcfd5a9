import BelfryModel
import BelfryServerModel

/// What an export has of a person, as it is written (ADM-4).
package struct ExportedContact: Hashable, Sendable, Codable {
    package var contactKey: String
    package var aliases: [String]
    package var known: Bool
    package var partyIdentifier: PartyIdentifier?
    package var attributes: [String: AttributeValue]
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
    package var campaign: String
    package var center: String
    package var sentAt: String
    package var expiresAt: String?
    package var state: MessageState
    package var stateAt: String?
    /// As devices get it.
    package var content: JSONObject
    package var richHtml: String?
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
    package var notShownReason: String?
    package var notShownAt: String?
    package var recalledAt: String?
}

package struct ExportedOptOut: Hashable, Sendable, Codable {
    package var reason: OptOutReason
    package var at: String
}
