import BelfryModel
import BelfryStore
import Foundation

/// Which of a device's events are asked for (EVT-7): those for which every part holds.
package struct EventFilter: Hashable, Sendable {
    /// What an attribute must be, compared as `==` compares in an audience: as numbers when both are or read as some,
    /// else as texts.
    package struct Attribute: Hashable, Sendable {
        let name: String
        let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package var name: EventName?
    /// The first moment that counts.
    package var from: Date?
    /// The first moment that counts no more.
    package var to: Date?
    package var attributes: [Attribute] = []

    package init() {}

    /// Whether name and attributes are as they must be; the time is the store's to compare.
    func admits(_ event: EventRow) -> Bool {
        if let name, !event.name.utf8.elementsEqual(name.rawValue.utf8) { return false }
        return attributes.allSatisfy { wanted in
            guard let value = event.attributes[wanted.name] else { return false }
            if let number = value.numberRead, let other = AttributeValue.string(wanted.value).numberRead {
                return number == other
            }
            return value.textRead == wanted.value
        }
    }
}
