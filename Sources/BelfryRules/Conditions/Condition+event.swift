import BelfryModel

extension Condition {
    /// Whether a predicate over an event's attributes is true. An event has nothing else to compare.
    package func admits(_ attributes: [String: AttributeValue]) -> Bool {
        switch self {
        case .everyone: true
        case .all(let parts): parts.allSatisfy { $0.admits(attributes) }
        case .any(let parts): parts.contains { $0.admits(attributes) }
        case .not(let part): !part.admits(attributes)
        case .attribute(let name, let comparison): comparison.holds(ofEvent: attributes.value(spelled: name))
        case .device, .deviceFact, .tag, .contactKeys, .deviceIDs, .known, .event, .party: false
        }
    }

    /// Whether a trigger's `where` is true; attributes are the event's. A condition that a device cannot evaluate is
    /// false.
    func admits(_ attributes: [String: AttributeValue], on device: TriggerDevice) -> Bool {
        switch self {
        case .all(let parts): parts.allSatisfy { $0.admits(attributes, on: device) }
        case .any(let parts): parts.contains { $0.admits(attributes, on: device) }
        case .not(let part): !part.admits(attributes, on: device)
        case .device(let property, let comparison):
            comparison.holds(device.properties.value(of: property).map(AttributeValue.string))
        case .deviceFact(.pushOptIn, let comparison): comparison.holds(.boolean(device.isOptedIn))
        case .everyone, .attribute: admits(attributes)
        case .deviceFact, .tag, .contactKeys, .deviceIDs, .known, .event, .party: false
        }
    }
}

extension [String: AttributeValue] {
    /// The value under exactly this name. For Swift, two spellings of "é" are one key; for a database they are two.
    package func value(spelled name: String) -> AttributeValue? {
        guard let index = index(forKey: name), self[index].key.utf8.elementsEqual(name.utf8) else { return nil }
        return self[index].value
    }
}

extension SystemProperties {
    /// The text of a device property for comparisons.
    package func value(of property: DeviceProperty) -> String? {
        switch property {
        case .platform: platform
        case .osVersion: osVersion
        case .appVersion: appVersion
        case .sdkVersion: sdkVersion
        case .deviceModel: deviceModel
        case .locale: locale
        case .timeZone: timeZone
        }
    }
}
