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

extension AttributeSource {
    /// Of a contact's attributes, by their names.
    ///
    /// - Parameter devices: those of the contact that are asked.
    static func all(
        of contact: ContactRow, _ devices: [DeviceRow], in connection: any SQLConnection
    ) throws -> [String: AttributeSource] {
        let times = try connection.contacts.notedTimes(of: contact.id)
        return contact.attributes.reduce(into: [:]) { sources, entry in
            let sayers = devices.filter { device in
                guard let said = device.applied, said.contact == contact.id else { return false }
                return said.attributes[entry.key] == entry.value
            }
            sources[entry.key] = AttributeSource(
                at: times[entry.key].map { Date(milliseconds: $0) }, clients: sayers.map(\.client)
            )
        }
    }
}
