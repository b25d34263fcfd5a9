import BelfryStore

/// Finds the holders of the message center messages that a device shows, or that a contact has: the contact itself, or
/// an installation while nobody is logged in on it (MC-15).
struct MessageHolders {
    let connection: any SQLConnection

    /// The holder of the messages that a device shows: the person who is logged in, otherwise its installation. Throws
    /// for a device without a contact, which has no messages.
    func holder(of link: DeviceLink) throws -> MessageHolder {
        let contact = try link.owner
        return try connection.contacts.isKnown(contact) ? .contact(contact) : .installation(link.id)
    }

    /// The holders of a contact's messages: a known contact itself, for an anonymous one the installations that have
    /// it.
    func holders(of contact: ContactRow) throws -> [MessageHolder] {
        guard !contact.known else { return [.contact(contact.id)] }
        let devices = try connection.devices.outlines(
            ofContact: contact.id, limit: ContactProfile.maximumDevices
        )
        return devices.map { .installation($0.id) }
    }
}
