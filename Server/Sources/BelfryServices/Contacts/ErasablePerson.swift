import BelfryStore

/// What an erasure of a person would remove.
package struct ErasablePerson: Hashable, Sendable {
    /// Up to which events are counted: who has more has many.
    package static let countedEvents = 10_000

    package let number: Int64
    package let key: String
    package let aliases: Int
    package let devices: Int
    /// Of the devices that the person has; one more than are counted if there are more.
    package let events: Int
    /// In message centers.
    package let messages: Int

    init(_ contact: ContactRow, in connection: any SQLConnection) throws {
        number = contact.id
        key = contact.key
        aliases = try connection.contacts.merged(into: contact.id).count
        devices = try connection.devices.count(ofContact: contact.id)
        let first = try connection.devices.ofContact(contact.id, limit: ContactErasure.devicesAtOnce)
        events = try connection.events.count(of: first.map(\.id), upTo: Self.countedEvents + 1)
        messages = try connection.holders(of: contact).reduce(0) { count, holder in
            try count + connection.centerMessages.count(of: holder.number)
        }
    }
}
