import BelfryModel
import BelfryStore

/// A person's device, and the contacts that it has left, as far as they are known. It holds a part of the row, which
/// may be long (SEC-2).
struct OwnedDevice: Sendable {
    let id: Int64
    let client: DeviceID
    let formerContacts: [Int64]

    init(_ device: DeviceRow) {
        id = device.id
        client = device.client
        formerContacts = device.applied?.formerContacts ?? []
    }

    /// Whether nobody but this person is known to have had the device. Only the newest of the contacts that it has left
    /// are kept; when the list is full, an older contact may be missing.
    ///
    /// - Parameter contacts: the person's contact, and those that were merged into it.
    func isSole(of contacts: Set<Int64>) -> Bool {
        formerContacts.count < AppliedSnapshot.maximumFormerContacts && formerContacts.allSatisfy(contacts.contains)
    }
}
