import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// A device's newest snapshot, read again by the present definitions of the app's attributes (REG-25).
///
/// The snapshot was applied when other definitions were valid. What it says of attributes that were defined since
/// counts now, for the contact that it was made for. What it says of attributes that were removed counts no more.
struct SnapshotReview {
    let row: RegistrationRow
    let device: DeviceRow
    /// What the device has said so far of the contact that the snapshot was made for.
    private let said: SaidAttributes
    private let accepted: [String: AttributeValue]
    /// All attributes of the snapshot that are rejected now.
    private let rejected: [RejectedField]

    /// Nil when the snapshot is not the one that the device has applied last, or it is not known for which contact.
    init?(of row: RegistrationRow, device: DeviceRow, schema: [String: AttributeType]) throws {
        guard device.id == row.device, device.revision == row.revision,
            let said = device.applied?.said(at: row.revision)
        else { return nil }
        let snapshot = try JSONText.decode(RegistrationSnapshot.self, row.snapshot)
        let reading = SnapshotReading(snapshot, schema: schema)
        self.row = row
        self.device = device
        self.said = said
        accepted = Dictionary(
            reading.attributes.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { first, _ in first }
        )
        rejected = reading.rejected.filter(\.isOfAttribute)
    }

    /// What counts now and did not before; blank values among them.
    private var added: [String: AttributeValue] {
        accepted.filter { said.attributes[$0.key] == nil }
    }

    /// Whether anything is to be written.
    var isChange: Bool {
        guard added.isEmpty, said.attributes.allSatisfy({ accepted[$0.key] != nil }) else { return true }
        // An attribute may be rejected for another reason now.
        let former = row.rejected.filter(\.isOfAttribute)
        return !Set(former).isSubset(of: rejected)
    }

    /// Runs in a transaction in which the row and the device were read.
    func apply(in connection: any SQLConnection, now: Date, environment: ServerEnvironment) throws {
        try giveToContact(in: connection, now: now)
        var device = device
        device.applied?.review(row.revision, as: accepted)
        device.updatedAt = now
        try connection.devices.save(device)
        let entries = try receiptEntries(for: device, by: environment.receipts)
        try connection.registrations.finish(
            row.id, status: entries.isEmpty ? .processed : .partlyRejected, rejected: entries, now: now
        )
    }

    /// What the receipt lists from now on. A longer list than before counts against the device's budget (SEC-9).
    private func receiptEntries(for device: DeviceRow, by budget: ReceiptBudget) throws -> [RejectedField] {
        let all = row.rejected.filter { !$0.isOfAttribute && !$0.isCount } + rejected
        let entries = try ReceiptEntries.bounded(all)
        let isLonger = try ReceiptEntries.bytes(of: entries) > ReceiptEntries.bytes(of: row.rejected)
        guard isLonger else { return entries }
        return try ReceiptEntries.granted(all, to: device, by: budget)
    }

    /// The contact gets the values for which it has none, unless another of its devices has said something about the
    /// attribute: snapshots are reviewed the newest first, so that was later. An erased contact is not there.
    private func giveToContact(in connection: any SQLConnection, now: Date) throws {
        let values = added.filter { !$0.value.isBlank }
        guard !values.isEmpty, let id = try connection.contacts.surviving(said.contact),
            var contact = try connection.contacts.find(id: id), contact.app == device.app
        else { return }
        var known: Set<String> = []
        for other in try connection.devices.ofContact(id, limit: Self.maximumDevices) where other.id != device.id {
            known.formUnion(other.applied?.names(saidOf: id) ?? [])
        }
        let news = values.filter { contact.attributes[$0.key] == nil && !known.contains($0.key) }
        guard !news.isEmpty else { return }
        contact.attributes.merge(news) { present, _ in present }
        try connection.contacts.save(contact, now: now, saidAt: row.receivedAt)
    }

    /// How many of a contact's devices are asked what they have said; the newest.
    static let maximumDevices = 100
}

extension RejectedField {
    /// It is about one attribute, or about their number.
    fileprivate var isOfAttribute: Bool {
        field.utf8.elementsEqual("attributes".utf8) || field.utf8.starts(with: "attributes.".utf8)
    }

    /// It counts fields that a receipt does not list.
    fileprivate var isCount: Bool { reason == "moreRejected" }
}
