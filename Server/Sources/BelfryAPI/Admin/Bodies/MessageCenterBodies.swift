import BelfryModel

/// `PUT …/message-centers/{name}` (ADM-2): what is absent stays as it is.
package struct MessageCenterChange: Hashable, Sendable, Codable {
    /// What people see in the place of the name; a blank one takes the label away.
    package var label: String?
    /// A new center is enabled.
    package var enabled: Bool?

    package init(label: String? = nil, enabled: Bool? = nil) {
        self.label = label
        self.enabled = enabled
    }
}

extension MessageCenterChange: Described {
    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "label": .string(0...MessageCenterLimits.maximumLabelLength)
                .described("What users see instead of the name. A blank label removes it."),
            "enabled": .boolean.described("A new message center is enabled. A disabled one hides its messages."),
        ],
        isClosed: true
    )
}

/// A message center of an app (MC-2).
package struct MessageCenterDefinition: Hashable, Sendable, Codable {
    package var name: String
    package var label: String?
    package var enabled: Bool

    package init(_ center: MessageCenter) {
        name = center.name.rawValue
        label = center.label
        enabled = center.isEnabled
    }
}

extension MessageCenterDefinition: Described {
    static let schema: JSONSchema = .object(
        ["name": .of(MessageCenterName.self), "enabled": .boolean], optional: ["label": .string()]
    )
}

/// `GET …/message-centers`: the primary one first, the others as they were made.
package struct MessageCenterListResponse: Hashable, Sendable, Codable {
    package var messageCenters: [MessageCenterDefinition]
}

extension MessageCenterListResponse: Described {
    static let schema: JSONSchema = .object([
        "messageCenters": .list(of: .of(MessageCenterDefinition.self))
    ])
}
