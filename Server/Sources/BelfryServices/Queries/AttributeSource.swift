import BelfryModel
import BelfryStore
import Foundation

/// When and from which devices a person's attribute value came, as far as the store knows.
package struct AttributeSource: Hashable, Sendable {
    /// When the value was set; nil if it was set before such times were recorded.
    package let at: Date?
    /// The person's devices whose last registration has this value. The list is empty if the value came from a device
    /// that has left, from an anonymous contact that became this one, or from an operator's merge.
    package let clients: [DeviceID]
}

/// A device of a person, and the names of the person's attributes whose values it registered last. It has no values,
/// because they may be long (SEC-2).
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
    /// The sources of a contact's attributes, by attribute name.
    ///
    /// - Parameter sayers: the contact's devices that may be named as sources.
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
