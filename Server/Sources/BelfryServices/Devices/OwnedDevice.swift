import BelfryModel
import BelfryStore

/// A device that a person has, and which contacts it has left, as far as that is known: a part of its row, which may be
/// long (SEC-2).
struct OwnedDevice: Sendable {
    let id: Int64
    let client: DeviceID
    let formerContacts: [Int64]

    init(_ device: DeviceRow) {
        id = device.id
        client = device.client
        formerContacts = device.applied?.formerContacts ?? []
    }

    /// Whether nobody but a person is known to have had the device. Only the newest of the contacts that it has left are
    /// kept: where there is no more room for another, somebody may be forgotten.
    ///
    /// - Parameter contacts: the person's contact, and those that became it.
    func isSole(of contacts: Set<Int64>) -> Bool {
        formerContacts.count < AppliedSnapshot.maximumFormerContacts && formerContacts.allSatisfy(contacts.contains)
    }
}
