import BelfryStore

/// Who holds the messages in message centers that a device shows, or that a contact has: the contact itself, or an
/// installation while nobody is logged in on it (MC-15).
struct MessageHolders {
    let connection: any SQLConnection

    /// Whose messages a device shows: those of the person who is logged in, else those of its installation. A device
    /// without a contact has none to show.
    func holder(of link: DeviceLink) throws -> MessageHolder {
        let contact = try link.owner
        return try connection.contacts.isKnown(contact) ? .contact(contact) : .installation(link.id)
    }

    /// Who holds a contact's messages: a known one itself, for an anonymous one the installations that have it.
    func holders(of contact: ContactRow) throws -> [MessageHolder] {
        guard !contact.known else { return [.contact(contact.id)] }
        let devices = try connection.devices.outlines(
            ofContact: contact.id, limit: ContactProfile.maximumDevices
        )
        return devices.map { .installation($0.id) }
    }
}
