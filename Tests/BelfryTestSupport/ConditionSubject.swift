import BelfryModel
import Foundation

/// The subject of a predicate: a device, its contact, and the events of the person.
public struct ConditionSubject: Sendable {
    /// The contact that a device belongs to.
    public struct Contact: Sendable {
        public var key: String
        public var isKnown: Bool
        public var attributes: [String: AttributeValue]
        public var tags: Set<String>
        public var party: PartyIdentifier?

        public init(
            key: String, isKnown: Bool, attributes: [String: AttributeValue] = [:], tags: Set<String> = [],
            party: PartyIdentifier? = nil
        ) {
            self.key = key
            self.isKnown = isKnown
            self.attributes = attributes
            self.tags = tags
            self.party = party
        }
    }

    public var device: DeviceID
    public var contact: Contact?
    public var properties: SystemProperties
    /// Whether a push may be sent to the device.
    public var isOptedIn: Bool
    public var lastOpenedAt: Date?
    public var events: any EventHistory

    public init(
        device: DeviceID, contact: Contact? = nil, properties: SystemProperties = SystemProperties(),
        isOptedIn: Bool = false, lastOpenedAt: Date? = nil, events: any EventHistory = RecordedEvents()
    ) {
        self.device = device
        self.contact = contact
        self.properties = properties
        self.isOptedIn = isOptedIn
        self.lastOpenedAt = lastOpenedAt
        self.events = events
    }
}

/// The events of a person. A device has only its own, and may store them in any form.
public protocol EventHistory: Sendable {
    /// The number of events of this name at or after `since` whose attributes are admitted. Counting may stop at
    /// `enough`.
    func count(
        of name: String, since: Date?, enough: Int, where admits: ([String: AttributeValue]) -> Bool
    ) -> Int
}

/// A history that is completely in memory.
public struct RecordedEvents: EventHistory {
    public struct Entry: Sendable {
        public var name: String
        public var at: Date
        public var attributes: [String: AttributeValue]

        public init(name: String, at: Date, attributes: [String: AttributeValue] = [:]) {
            self.name = name
            self.at = at
            self.attributes = attributes
        }
    }

    public var entries: [Entry]

    public init(_ entries: [Entry] = []) {
        self.entries = entries
    }

    public func count(
        of name: String, since: Date?, enough: Int, where admits: ([String: AttributeValue]) -> Bool
    ) -> Int {
        // The store keeps milliseconds, so the period begins at a whole one.
        let first = since?.milliseconds ?? .min
        var count = 0
        for entry in entries where entry.at.milliseconds >= first && entry.name.utf8.elementsEqual(name.utf8) {
            guard count < enough else { break }
            if admits(entry.attributes) { count += 1 }
        }
        return count
    }
}
