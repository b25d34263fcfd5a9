import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// Reads a device's newest snapshot for a contact again, by the present definitions of the app's attributes (REG-25).
///
/// The snapshot was applied by other definitions. Its values of attributes that were defined since now count, for the
/// contact for which it was made. Its values of removed attributes no longer count.
struct SnapshotReview {
    let row: RegistrationRow
    let device: DeviceRow
    private let schema: [String: AttributeType]
    /// The contact for which the snapshot was made, or the one that took over that contact's history.
    private let contact: Int64
    /// The names of the snapshot's attributes that have counted so far.
    private let counted: Set<String>
    private let accepted: [String: AttributeValue]
    /// The attributes of the snapshot that are rejected now.
    private let rejected: [RejectedField]

    /// Nil when it is not known for which contact the snapshot was made.
    init?(of row: RegistrationRow, device: DeviceRow, schema: [String: AttributeType]) throws {
        let said = device.applied?.said(at: row.revision)
        guard device.id == row.device, let contact = said?.contact ?? row.contact else { return nil }
        let reading = try SnapshotReading(row, schema: schema)
        self.row = row
        self.device = device
        self.schema = schema
        self.contact = contact
        counted = said.map { Set($0.attributes.keys) } ?? row.countedAttributes(in: reading)
        accepted = Dictionary(
            reading.attributes.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { first, _ in first }
        )
        rejected = reading.rejected.filter(\.isOfAttribute)
    }

    /// The values that count now and did not before, blank ones included.
    private var added: [String: AttributeValue] {
        accepted.filter { !counted.contains($0.key) }
    }

    /// Whether anything is to be written.
    var isChange: Bool {
        guard added.isEmpty, counted.allSatisfy({ accepted[$0] != nil }) else { return true }
        // An attribute may now be rejected for another reason.
        let former = row.rejected.filter(\.isOfAttribute)
        return !Set(former).isSubset(of: rejected)
    }

    /// The contact that the device has, and the one that gets values.
    func contacts(in connection: any SQLConnection) throws -> [Int64?] {
        try [device.contact, connection.contacts.surviving(contact)]
    }

    /// Writes the changes. It runs in the transaction in which the row and the device were read.
    func apply(in connection: any SQLConnection, now: Date, environment: ServerEnvironment) throws {
        try giveToContact(in: connection, now: now)
        try noteAsSaid(in: connection, now: now)
        let entries = try receiptEntries(by: environment.receipts)
        try connection.registrations.finish(
            row.key, status: entries.isEmpty ? .processed : .partlyRejected, rejected: entries, contact: contact,
            accepted: ReceiptEntries.accepted(Array(accepted.keys), beside: entries), now: now
        )
    }

    /// Stores the accepted values: the device's next snapshot is compared with what now counts of the last one
    /// (REG-28).
    private func noteAsSaid(in connection: any SQLConnection, now: Date) throws {
        guard device.applied?.said(at: row.revision) != nil else { return }
        var device = device
        device.applied?.review(row.revision, as: accepted)
        device.updatedAt = now
        try connection.devices.save(device)
    }

    /// The rejected fields for the receipt. A longer list than before counts against the device's budget (SEC-9).
    private func receiptEntries(by budget: ReceiptBudget) throws -> [RejectedField] {
        let all = row.rejected.filter { !$0.isOfAttribute && !$0.isCount } + rejected
        let entries = try ReceiptEntries.bounded(all)
        let isLonger = try ReceiptEntries.bytes(of: entries) > ReceiptEntries.bytes(of: row.rejected)
        guard isLonger else { return entries }
        return try ReceiptEntries.granted(all, to: device, by: budget)
    }

    /// Gives the contact the values that it lacks, unless another device has set the attribute for it: snapshots are
    /// reviewed newest first, so the other device was later. An erased contact is not found.
    private func giveToContact(in connection: any SQLConnection, now: Date) throws {
        let values = added.filter { !$0.value.isBlank }
        guard !values.isEmpty, let id = try connection.contacts.surviving(contact),
            var person = try connection.contacts.find(id: id), person.app == device.app
        else { return }
        let lacking = values.filter { person.attributes[$0.key] == nil }
        guard !lacking.isEmpty, let known = try names(saidByOthersOf: id, in: connection) else { return }
        let news = lacking.filter { !known.contains($0.key) }
        guard !news.isEmpty else { return }
        person.attributes.merge(news) { present, _ in present }
        try connection.contacts.save(person, now: now, saidAt: row.receivedAt)
    }

    /// The attributes that other devices have set for the contact: its present devices, and devices that have left it.
    ///
    /// - Returns: nil where those devices have sent too much to search, so that any attribute may have been set by one
    ///   of them.
    private func names(saidByOthersOf id: Int64, in connection: any SQLConnection) throws -> Set<String>? {
        let others = try connection.devices.ofContact(id, limit: Self.maximumDevices) { other in
            (id: other.id, names: other.applied?.names(saidOf: id) ?? [])
        }.filter { $0.id != device.id }
        var names: Set<String> = []
        for other in others { names.formUnion(other.names) }
        let left = try connection.endedInstallations.without(
            connection.formerDevices.all(of: id, app: device.app, limit: Self.maximumDevices)
        )
        let sayers = others.map(\.id) + left
        // Events that are being moved to the contact come from a contact whose snapshots count for it, too.
        let arriving = try connection.eventMoves.arriving(at: id, of: sayers)
        let sources = [(contact: id, devices: sayers)] + arriving.map { (contact: $0.contact, devices: [$0.device]) }
        let bytes = try sources.reduce(0) { sum, source in
            try sum
                + connection.registrations.newerBytes(
                    than: row.id, for: source.contact, of: source.devices, limit: Self.maximumSnapshots
                )
        }
        guard bytes <= Self.maximumBytes else { return nil }
        // Snapshots that are older than this one do not count against it.
        let since = try sources.flatMap { source in
            try connection.registrations.newer(
                than: row.id, for: source.contact, of: source.devices, limit: Self.maximumSnapshots
            )
        }
        for newer in since {
            // A snapshot that cannot be read sets nothing.
            guard let reading = try? SnapshotReading(newer, schema: schema) else { continue }
            names.formUnion(reading.attributes.keys.map(\.rawValue))
        }
        return names
    }

    /// How many of a contact's newest devices are searched, and how many of the devices that have left it.
    static let maximumDevices = 100
    /// How many of the newest snapshots of each device are searched: a later snapshot without the attribute takes
    /// nothing back.
    static let maximumSnapshots = 20
    /// The highest number of bytes of all these snapshots: each may have a megabyte (SEC-2).
    static let maximumBytes = 16 << 20
}

extension SnapshotReading {
    fileprivate init(_ row: RegistrationRow, schema: [String: AttributeType]) throws {
        try self.init(JSONText.decode(RegistrationSnapshot.self, row.snapshot), schema: schema)
    }
}

extension RegistrationRow {
    /// The attributes that counted when the snapshot was last read: all that its receipt did not reject.
    fileprivate func countedAttributes(in reading: SnapshotReading) -> Set<String> {
        if let accepted { return Set(accepted) }
        let names = reading.attributes.keys.map(\.rawValue) + reading.rejected.compactMap(\.attribute)
        return Set(names).subtracting(rejected.compactMap(\.attribute))
    }
}

extension RejectedField {
    private static let prefix = "attributes."

    /// Whether the entry is about one attribute, or about the number of attributes.
    fileprivate var isOfAttribute: Bool {
        field.utf8.elementsEqual("attributes".utf8) || field.utf8.starts(with: Self.prefix.utf8)
    }

    /// The attribute's name. Nil for one that no definition can have.
    fileprivate var attribute: String? {
        guard field.utf8.starts(with: Self.prefix.utf8) else { return nil }
        let name = String(decoding: field.utf8.dropFirst(Self.prefix.utf8.count), as: UTF8.self)
        return try? AttributeKey(name).rawValue
    }
}
