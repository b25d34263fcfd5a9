import BelfryModel
import BelfryStore
import Foundation

/// Where a value of a person came from, as far as the store knows.
package struct AttributeSource: Hashable, Sendable {
    /// When it was set; nil for a value from before that was noted.
    package let at: Date?
    /// Devices of the person that have registered this very value last. None: a device that has left, an anonymous
    /// contact that became this one, or an operator's merge brought it.
    package let clients: [DeviceID]
}

/// A device of a person, and which of the person's values it has registered last: their names alone, for the values may
/// be long (SEC-2).
struct AttributeSayer: Sendable {
    let client: DeviceID
    let names: Set<String>

    init(_ device: DeviceRow, of contact: ContactRow) {
        client = device.client
        guard let said = device.applied, said.contact == contact.id else {
            names = []
            return
        }
        names = Set(said.attributes.filter { contact.attributes[$0.key] == $0.value }.keys)
    }
}

extension AttributeSource {
    /// Of a contact's attributes, by their names.
    ///
    /// - Parameter sayers: the devices of the contact that are asked.
    static func all(
        of contact: ContactRow, _ sayers: [AttributeSayer], in connection: any SQLConnection
    ) throws -> [String: AttributeSource] {
        let times = try connection.contacts.notedTimes(of: contact.id)
        return contact.attributes.keys.reduce(into: [:]) { sources, name in
            sources[name] = AttributeSource(
                at: times[name].map { Date(milliseconds: $0) },
                clients: sayers.filter { $0.names.contains(name) }.map(\.client)
            )
        }
    }
}
