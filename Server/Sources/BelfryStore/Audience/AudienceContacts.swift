/// Which contacts the devices of a statement have, as far as it is worth saying (FLEET-5).
///
/// Where several servers hold the database, contacts are on others than devices, and no statement joins the two. So a
/// condition about a contact lists the contacts that fulfil it, and each server with devices gets the list. A tag may have
/// any number of contacts, hence the limit to those that matter.
enum AudienceContacts: Hashable, Sendable {
    /// So many that the list is read as a whole.
    case any
    /// Those of few devices: they are listed first.
    case ofDevices
    /// That of the one device; nil if it has none.
    case one(Int64?)

    /// The most devices of a range whose contacts are listed. A campaign is planned by ranges that are smaller.
    static let maximumDevices: Int64 = 1 << 16
}
