import BelfryModel
import BelfryServerModel
import BelfryServices

/// `GET …/contacts/{contactKey}/export`: all stored data of a person (ADM-4).
package struct ContactExportResponse: Hashable, Sendable, Codable {
    var app: String
    var exportedAt: String
    var contact: ExportedContact
    var devices: [ExportedDevice]
    var links: [ExportedLink]
    var registrations: [ExportedRegistration]
    var events: [ExportedEvent]
    var messages: [ExportedMessage]
    var ledger: [ExportedDelivery]
    var inApp: [ExportedInAppMessage]
    var rehearsals: [ExportedRehearsal]
}

extension ContactExportResponse: Described {
    static let schemaName = "ContactExport"

    static let schema: JSONSchema = .object([
        "app": .of(AppCode.self), "exportedAt": .of(Timestamp.self), "contact": ExportedContact.schema,
        "devices": .list(of: ExportedDevice.schema).described("Of a device that has left the contact, only the id."),
        "links": .list(of: ExportedLink.schema)
            .described("When devices came to the contact and left it, by device and time."),
        "registrations": .list(of: ExportedRegistration.schema)
            .described("What devices registered while they belonged to the contact, by device and revision."),
        "events": .list(of: ExportedEvent.schema).described("By device and id."),
        "messages": .list(of: ExportedMessage.schema).described("Of message centers, by center and time."),
        "ledger": .list(of: ExportedDelivery.schema).described("By device, the newest campaign first."),
        "inApp": .list(of: ExportedInAppMessage.schema).described("In-app messages, by device and campaign."),
        "rehearsals": .list(of: ExportedRehearsal.schema)
            .described("Results of rehearsals for the devices, by device."),
    ])
}

extension ExportedContact {
    static let schema: JSONSchema = .object(
        [
            "contactKey": .string(), "aliases": .list(of: .string()), "known": .boolean, "attributes": .attributes,
            "attributesSetAt": .map(of: .of(Timestamp.self)), "tags": .list(of: .string()),
            "createdAt": .of(Timestamp.self),
        ],
        optional: ["partyIdentifier": .of(PartyIdentifier.self), "lastOpenedAt": .of(Timestamp.self)]
    )
}

extension ExportedDevice {
    static let schema: JSONSchema = .object(
        ["deviceId": .string(), "isPresent": .boolean.described("Whether the contact has it now.")],
        optional: [
            "pushToken": .string(), "pushProvider": .of(PushProvider.self),
            "pushEnvironment": .of(PushEnvironment.self), "pushEnabled": .boolean, "osPushEnabled": .boolean,
            "optOut": .object(["reason": .cases(of: OptOutReason.self), "at": .of(Timestamp.self)]),
            "system": .of(SystemProperties.self),
            "attributes": .attributes.described("What the device last reported about the contact."),
            "badge": .count, "lastOpenedAt": .of(Timestamp.self), "createdAt": .of(Timestamp.self),
            "updatedAt": .of(Timestamp.self),
        ]
    )
}

extension ExportedLink {
    static let schema: JSONSchema = .object([
        "deviceId": .string(), "at": .of(Timestamp.self),
        "began": .boolean.described("Whether the device joined the contact; otherwise it left."),
        "cause": .cases(of: ContactExport.LinkCause.self),
        "known": .boolean.described("Whether the app has named the contact."),
    ])
}

extension ExportedRegistration {
    static let schema: JSONSchema = .object(
        [
            "deviceId": .string(), "id": .string(), "revision": .integer(), "receivedAt": .of(Timestamp.self),
            "status": .of(ReceiptStatus.self), "rejected": .list(of: .of(RejectedField.self)),
        ],
        optional: ["said": .anyObject.described("As the device reported it.")]
    )
}

extension ExportedRehearsal {
    static let schema: JSONSchema = .object(
        [
            "deviceId": .string(), "campaign": .of(CampaignID.self), "rehearsal": .string(),
            "state": .cases(of: DeliveryState.self), "at": .of(Timestamp.self),
        ],
        optional: ["reason": .string()]
    )
}

extension ExportedEvent {
    static let schema: JSONSchema = .object(
        [
            "deviceId": .string(), "id": .string(), "type": .string(), "name": .string(),
            "timestamp": .of(Timestamp.self), "receivedAt": .of(Timestamp.self), "attributes": .attributes,
        ],
        optional: ["correctedTimestamp": .of(Timestamp.self), "sessionId": .string()]
    )
}

extension ExportedMessage {
    static let schema: JSONSchema = .object(
        [
            "campaign": .of(CampaignID.self), "center": .string(), "sentAt": .of(Timestamp.self),
            "state": .cases(of: MessageState.self), "content": .anyObject.described("As devices get it."),
            "richStored": .list(of: .object(["deviceId": .string(), "at": .of(Timestamp.self)]))
                .described("The devices that have stored its rich content."),
        ],
        optional: [
            "deviceId": .string().described("The device whose own inbox contains it; absent: the contact's inbox."),
            "expiresAt": .of(Timestamp.self), "stateAt": .of(Timestamp.self), "richHtml": .string(),
        ]
    )
}

extension ExportedDelivery {
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

extension ExportedInAppMessage {
    static let schema: JSONSchema = .object(
        [
            "deviceId": .string(), "campaign": .of(CampaignID.self), "version": .integer(), "displays": .count,
            "clicks": .count, "dismissals": .count, "secondsOnScreen": .value(["number"]),
            "clicksByButton": .map(of: .count), "timesNotShown": .map(of: .count).described("By reason."),
        ],
        optional: [
            "name": .string(), "downloadedAt": .of(Timestamp.self), "displayedAt": .of(Timestamp.self),
            "clickedAt": .of(Timestamp.self), "dismissedAt": .of(Timestamp.self), "notShownReason": .string(),
            "notShownAt": .of(Timestamp.self), "recalledAt": .of(Timestamp.self),
        ]
    )
}
