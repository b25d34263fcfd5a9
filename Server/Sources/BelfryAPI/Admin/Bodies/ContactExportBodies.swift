import BelfryModel
import BelfryServerModel
import BelfryServices

/// `GET …/contacts/{contactKey}/export`: everything that is known of a person (ADM-4).
package struct ContactExportResponse: Hashable, Sendable, Codable {
    var app: String
    var exportedAt: String
    var contact: ExportedContact
    var devices: [ExportedDevice]
    var events: [ExportedEvent]
    var messages: [ExportedMessage]
    var ledger: [ExportedDelivery]
    var inApp: [ExportedInAppMessage]
}

extension ContactExportResponse: Described {
    static let schemaName = "ContactExport"

    static let schema: JSONSchema = .object([
        "app": .of(AppCode.self), "exportedAt": .of(Timestamp.self), "contact": ExportedContact.schema,
        "devices": .list(of: ExportedDevice.schema).described("Those that have left the contact are named only."),
        "events": .list(of: ExportedEvent.schema).described("By device and id."),
        "messages": .list(of: ExportedMessage.schema).described("Of message centers, by center and time."),
        "ledger": .list(of: ExportedDelivery.schema).described("By device, the newest campaign first."),
        "inApp": .list(of: ExportedInAppMessage.schema).described("In-app messages, by device and campaign."),
    ])
}

struct ExportedContact: Hashable, Sendable, Codable {
    var contactKey: String
    var aliases: [String]
    var known: Bool
    var partyIdentifier: PartyIdentifier?
    var attributes: [String: AttributeValue]
    var tags: [String]
    var lastOpenedAt: String?
    var createdAt: String

    static let schema: JSONSchema = .object(
        [
            "contactKey": .string(), "aliases": .list(of: .string()), "known": .boolean, "attributes": .attributes,
            "tags": .list(of: .string()), "createdAt": .of(Timestamp.self),
        ],
        optional: ["partyIdentifier": .of(PartyIdentifier.self), "lastOpenedAt": .of(Timestamp.self)]
    )
}

struct ExportedDevice: Hashable, Sendable, Codable {
    var deviceId: String
    /// Whether it is the contact's now.
    var isPresent: Bool
    /// Whole: it belongs to what is known.
    var pushToken: String?
    var pushProvider: PushProvider?
    var pushEnvironment: PushEnvironment?
    var pushEnabled: Bool?
    var osPushEnabled: Bool?
    var optOut: DeviceResponse.OptOutResponse?
    var system: SystemProperties?
    /// What it has said of the contact last.
    var attributes: [String: AttributeValue]?
    var badge: Int?
    var lastOpenedAt: String?
    var createdAt: String?
    var updatedAt: String?

    static let schema: JSONSchema = .object(
        ["deviceId": .string(), "isPresent": .boolean.described("Whether the contact has it now.")],
        optional: [
            "pushToken": .string(), "pushProvider": .of(PushProvider.self),
            "pushEnvironment": .of(PushEnvironment.self), "pushEnabled": .boolean, "osPushEnabled": .boolean,
            "optOut": .object(["reason": .cases(of: OptOutReason.self), "at": .of(Timestamp.self)]),
            "system": .of(SystemProperties.self),
            "attributes": .attributes.described("What the device said of the contact last."),
            "badge": .count, "lastOpenedAt": .of(Timestamp.self), "createdAt": .of(Timestamp.self),
            "updatedAt": .of(Timestamp.self),
        ]
    )
}

struct ExportedEvent: Hashable, Sendable, Codable {
    var deviceId: String
    var id: String
    var type: String
    var name: String
    /// By the device's clock.
    var timestamp: String
    var correctedTimestamp: String?
    var receivedAt: String
    var sessionId: String?
    var attributes: [String: AttributeValue]

    static let schema: JSONSchema = .object(
        [
            "deviceId": .string(), "id": .string(), "type": .string(), "name": .string(),
            "timestamp": .of(Timestamp.self), "receivedAt": .of(Timestamp.self), "attributes": .attributes,
        ],
        optional: ["correctedTimestamp": .of(Timestamp.self), "sessionId": .string()]
    )
}

struct ExportedMessage: Hashable, Sendable, Codable {
    var campaign: String
    var center: String
    var sentAt: String
    var expiresAt: String?
    var state: MessageState
    var stateAt: String?
    /// As devices get it.
    var content: JSONObject
    var richHtml: String?

    static let schema: JSONSchema = .object(
        [
            "campaign": .of(CampaignID.self), "center": .string(), "sentAt": .of(Timestamp.self),
            "state": .cases(of: MessageState.self), "content": .anyObject.described("As devices get it."),
        ],
        optional: [
            "expiresAt": .of(Timestamp.self), "stateAt": .of(Timestamp.self), "richHtml": .string(),
        ]
    )
}

struct ExportedDelivery: Hashable, Sendable, Codable {
    var deviceId: String
    var campaign: String
    var name: String?
    var kind: CampaignKind?
    var state: DeliveryState
    var reason: String?
    var note: String?
    var attempts: Int
    var updatedAt: String
    var receivedAt: String?
    var displayedAt: String?
    var openedAt: String?
    var dismissedAt: String?
    /// In a message center, on this device.
    var displays: Int?
    var opens: Int?

    static let schema: JSONSchema = .object(
        [
            "deviceId": .string(), "campaign": .of(CampaignID.self), "state": .cases(of: DeliveryState.self),
            "attempts": .count, "updatedAt": .of(Timestamp.self),
        ],
        optional: [
            "name": .string(), "kind": .of(CampaignKind.self), "reason": .string(), "note": .string(),
            "receivedAt": .of(Timestamp.self), "displayedAt": .of(Timestamp.self),
            "openedAt": .of(Timestamp.self), "dismissedAt": .of(Timestamp.self),
            "displays": .count.described("In a message center, on this device."),
            "opens": .count.described("In a message center, on this device."),
        ]
    )
}

struct ExportedInAppMessage: Hashable, Sendable, Codable {
    var deviceId: String
    var campaign: String
    var name: String?
    var version: Int
    var downloadedAt: String?
    var displays: Int
    var displayedAt: String?
    var clicks: Int
    var clickedAt: String?
    var dismissals: Int
    var dismissedAt: String?
    var secondsOnScreen: Double
    var notShownReason: String?
    var notShownAt: String?
    var recalledAt: String?

    static let schema: JSONSchema = .object(
        [
            "deviceId": .string(), "campaign": .of(CampaignID.self), "version": .integer(), "displays": .count,
            "clicks": .count, "dismissals": .count, "secondsOnScreen": .value(["number"]),
        ],
        optional: [
            "name": .string(), "downloadedAt": .of(Timestamp.self), "displayedAt": .of(Timestamp.self),
            "clickedAt": .of(Timestamp.self), "dismissedAt": .of(Timestamp.self), "notShownReason": .string(),
            "notShownAt": .of(Timestamp.self), "recalledAt": .of(Timestamp.self),
        ]
    )
}
