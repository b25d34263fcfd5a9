import BelfryModel
import BelfryServerModel

/// A variable of a template: a value of the recipient (CAMP-4).
package enum TemplateVariable: Hashable, Sendable, Codable {
    /// An attribute of the contact that the app has defined, in the schema's spelling.
    case attribute(String)
    /// One of ``deviceProperties``.
    case device(DeviceProperty)
    case contactKey
    /// A part of the contact's party identifier.
    case party(PartyPart)

    /// The properties of a device whose values are texts.
    package static let deviceProperties: [DeviceProperty] = [
        .platform, .osVersion, .appVersion, .sdkVersion, .deviceModel, .locale, .timeZone,
    ]

    private static let contactPrefix = "contact."
    private static let devicePrefix = "device."
    package static let partyPrefix = "contact.party."

    /// Reads a name as templates write it: `city` and `contact.city` are the contact's attribute, `contact.key` its
    /// key, `contact.party.number` a part of its party identifier, `device.locale` a property of the device. Throws for
    /// an unknown name.
    package init(_ name: String, among attributes: KnownAttributes) throws(ValueError) {
        if name == "contact.key" {
            self = .contactKey
        } else if name.hasPrefix(Self.partyPrefix) {
            self = .party(try Self.party(String(name.dropFirst(Self.partyPrefix.count))))
        } else if name.hasPrefix(Self.devicePrefix) {
            self = .device(try Self.property(String(name.dropFirst(Self.devicePrefix.count))))
        } else {
            let isPrefixed = name.hasPrefix(Self.contactPrefix)
            self = .attribute(
                try attributes.spelling(of: isPrefixed ? String(name.dropFirst(Self.contactPrefix.count)) : name)
            )
        }
    }

    private static func party(_ name: String) throws(ValueError) -> PartyPart {
        guard let part = PartyPart(rawValue: name) else {
            let known = PartyPart.allCases.map { partyPrefix + $0.rawValue }.joined(separator: ", ")
            throw ValueError(
                code: "undefinedVariable",
                message: "There is no '\(partyPrefix)\(name.prefix(64))'. Known names: \(known)."
            )
        }
        return part
    }

    private static func property(_ name: String) throws(ValueError) -> DeviceProperty {
        guard let property = DeviceProperty(rawValue: name), deviceProperties.contains(property) else {
            let known = deviceProperties.map { "device.\($0.rawValue)" }.joined(separator: ", ")
            throw ValueError(
                code: "undefinedVariable", message: "There is no 'device.\(name.prefix(64))'. Known names: \(known)."
            )
        }
        return property
    }
}

extension TemplateVariable: CustomStringConvertible {
    /// The name as a template writes it.
    package var description: String {
        switch self {
        case .attribute(let name): name
        case .device(let property): "device.\(property.rawValue)"
        case .contactKey: "contact.key"
        case .party(let part): Self.partyPrefix + part.rawValue
        }
    }
}
