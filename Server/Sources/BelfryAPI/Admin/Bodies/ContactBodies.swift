import BelfryModel
import BelfryServices

/// `GET …/contacts/{contactKey}`.
package struct ContactResponse: Hashable, Sendable, Codable {
    package var contactKey: String
    /// Former keys that still find the contact; absent: there are none.
    package var aliases: [String]?
    package var known: Bool
    /// The party identifier as the contact's devices registered it.
    package var partyIdentifier: PartyIdentifier?
    package var attributes: [String: AttributeValue]
    package var tags: [String]
    /// The newest devices, newest first.
    package var devices: [String]
    /// The number of all devices of the contact.
    package var deviceCount: Int
    package var lastOpenedAt: String?
    package var createdAt: String
    /// When each value was set and which device registered it last, as far as that is known.
    package var attributeSources: [String: Source]?

    package struct Source: Hashable, Sendable, Codable {
        package var setAt: String?
        package var devices: [String]
    }
}

extension ContactResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "contactKey": .string(),
            "known": .boolean.described("Whether it has a contact key; otherwise it is anonymous."),
            "attributes": .attributes,
            "tags": .list(of: .string()).described("In order; the first \(ContactProfile.maximumTags)."),
            "devices": .list(of: .of(DeviceID.self)).described("The newest 100, newest first."),
            "deviceCount": .count.described("The number of all its devices."),
            "createdAt": .of(Timestamp.self),
        ],
        optional: [
            "aliases": .list(of: .string()).described(
                "Former keys, by which devices and operators may still name it; the oldest 100."),
            "partyIdentifier": .of(PartyIdentifier.self), "lastOpenedAt": .of(Timestamp.self),
            "attributeSources": .map(
                of: .object(["devices": .list(of: .string())], optional: ["setAt": .of(Timestamp.self)])
            )
            .described(
                """
                By attribute: when its value was set, and which of the contact's devices registered it last. Without \
                devices it came from one that has left, or from a contact that became this one.
                """
            ),
        ]
    )
}

/// `GET …/contacts`, newest first.
package struct ContactListResponse: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        package var contactKey: String
        /// Whether the app named the contact; otherwise the key is the server's own.
        package var known: Bool
        package var createdAt: String
        package var lastOpenedAt: String?
    }

    package var contacts: [Entry]
    package var cursor: String?

    package init(contacts: [Entry], cursor: String? = nil) {
        self.contacts = contacts
        self.cursor = cursor
    }
}

extension ContactListResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "contacts": .list(
                of: .object(
                    ["contactKey": .string(), "known": .boolean, "createdAt": .of(Timestamp.self)],
                    optional: ["lastOpenedAt": .of(Timestamp.self)]
                )
            )
        ],
        optional: ["cursor": .cursor]
    )
}
