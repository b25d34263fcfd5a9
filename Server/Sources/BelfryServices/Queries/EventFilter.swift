import BelfryModel
import BelfryStore
import Foundation

/// The filter for a device's events (EVT-7). An event must match every part that is set.
package struct EventFilter: Hashable, Sendable {
    /// The value that an event's attribute must have. It is compared like `==` in an audience: as numbers if both
    /// values are or can be read as numbers, otherwise as texts.
    package struct Attribute: Hashable, Sendable {
        let name: String
        let value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package var name: EventName?
    /// The start of the period, inclusive.
    package var from: Date?
    /// The end of the period, exclusive.
    package var to: Date?
    package var attributes: [Attribute] = []

    package init() {}

    /// Whether an event's name and attributes match; the store compares the time.
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
