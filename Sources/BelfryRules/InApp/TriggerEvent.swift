import BelfryModel

/// An event in the form that triggers use.
public struct TriggerEvent: Hashable, Sendable, Codable {
    public var name: String
    public var attributes: [String: AttributeValue]

    public init(name: String, attributes: [String: AttributeValue] = [:]) {
        self.name = name
        self.attributes = attributes
    }
}

/// The properties of the device that a trigger may use (IAM-5).
public struct TriggerDevice: Hashable, Sendable {
    public var properties: SystemProperties
    /// Whether a push may be sent to the device.
    public var isOptedIn: Bool

    public init(properties: SystemProperties = SystemProperties(), isOptedIn: Bool = false) {
        self.properties = properties
        self.isOptedIn = isOptedIn
    }
}

extension InAppTrigger {
    /// Whether an event counts for the trigger, by its name, its attributes and the device.
    public func matches(_ event: TriggerEvent, on device: TriggerDevice) -> Bool {
        guard event.name.utf8.elementsEqual(eventName.utf8) else { return false }
        return filter.map { $0.admits(event.attributes, on: device) } ?? true
    }
}
