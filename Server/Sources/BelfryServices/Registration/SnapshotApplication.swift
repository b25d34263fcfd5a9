import BelfryCampaigns
import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// Applies one snapshot, inside a transaction.
///
/// This is the device's part: its row, its history, its receipt. What it says to its contact is a value, a
/// ``ContactWord``, which ``ContactWordApplication`` applies.
struct SnapshotApplication {
    /// Former keys of a contact that are read in one query.
    static let keysAtOnce = 1_000

    let connection: any SQLConnection
    let row: RegistrationRow
    let snapshots: DecodedSnapshots
    var device: DeviceRow
    let rules: AppRules
    let now: Date
    let environment: ServerEnvironment
    /// Rejected fields besides those that the reading of the snapshot rejects.
    private(set) var ownRejected: [RejectedField] = []

    init(
        connection: any SQLConnection, row: RegistrationRow, snapshots: DecodedSnapshots, device: DeviceRow,
        rules: AppRules, now: Date, environment: ServerEnvironment
    ) {
        self.connection = connection
        self.row = row
        self.snapshots = snapshots
        self.device = device
        self.rules = rules
        self.now = now
        self.environment = environment
    }

    /// Applies it in one transaction.
    mutating func apply() throws {
        guard let said = try applyToDevice() else { return try supersede() }
        try ContactWordApplication(connection: connection, now: now).apply(said.word)
        try save(from: said.holders)
        let receipt = try self.receipt(said.reading)
        try connection.registrations.finish(
            row.key, status: receipt.status, rejected: receipt.rejected, contact: said.word.contact,
            accepted: receipt.accepted, now: now
        )
    }

    /// The first step where the contact may be on another server: the word is kept until the others are done
    /// (``ContactWordSteps``).
    ///
    /// - Returns: whether there are others.
    mutating func begin(keeping words: ContactWordRepository) throws -> Bool {
        guard let said = try applyToDevice() else {
            try supersede()
            return false
        }
        try save(from: said.holders)
        let kept = KeptWord(said.word, app: device.app, receipt: try receipt(said.reading))
        try words.insert(
            JSONText.encode(kept), of: row.id, device: device.id, naming: said.word.contact,
            said.word.arrival?.left?.contact
        )
        return true
    }

    private func supersede() throws {
        try connection.registrations.finish(row.key, status: .superseded, rejected: [], now: now)
    }

    /// - Returns: what the contact has to be told, and the devices that held the device's push token; nil if a newer
    ///   snapshot was applied before.
    private mutating func applyToDevice() throws -> (word: ContactWord, reading: SnapshotReading, holders: [DeviceRow])?
    {
        // The order decides: a late older snapshot never overwrites a newer one (REG-21).
        guard row.revision > device.revision else { return nil }
        let snapshot = try snapshots.snapshot(of: row)
        let reading = SnapshotReading(
            snapshot, schema: rules.schema, contactKeyRule: rules.contactKeys, linkedKey: try linkedKey(snapshot),
            pushToken: environment.pushTokens.token
        )
        let holders = try applyToken(reading)
        applyConsent(snapshot)
        applySystem(reading)
        return (try say(reading), reading, holders)
    }

    /// Saves the device's row. In one transaction it comes after the contact: its place in the audience has the contact's
    /// values.
    private func save(from holders: [DeviceRow]) throws {
        try connection.devices.save(device)
        try Takeover(connection: connection, settings: rules.settings, now: now).offer(to: device, from: holders)
    }

    private func receipt(_ reading: SnapshotReading) throws -> KeptReceipt {
        let rejected = try ReceiptEntries.granted(ownRejected + reading.rejected, to: device, by: environment.receipts)
        return KeptReceipt(
            rejected: rejected,
            accepted: ReceiptEntries.accepted(reading.attributes.keys.map(\.rawValue), beside: rejected)
        )
    }

    /// The key of the known contact to which the device is linked, if the app's rule needs it (ID-3).
    private func linkedKey(_ snapshot: RegistrationSnapshot) throws -> String? {
        guard let stated = snapshot.contactKey, rules.contactKeys != .stated, let id = device.contact,
            let contact = try connection.contacts.find(id: id), contact.known
        else { return nil }
        // A former key of the contact counts like the present one (ADM-5).
        guard let key = try? ContactKey(stated).rawValue,
            try connection.contacts.find(app: device.app, key: key)?.id == id
        else { return contact.key }
        return key
    }

    /// - Returns: the devices that held the token.
    private mutating func applyToken(_ reading: SnapshotReading) throws -> [DeviceRow] {
        // An absent token changes nothing (REG-28); an older order never overwrites a newer one (WIRE-21).
        guard let token = reading.pushToken, device.accepts(row.order, over: device.tokenOrder) else { return [] }
        let move = PushTokenMove(
            connection: connection, token: token, order: row.order, registeredAt: row.receivedAt, waited: true,
            count: environment.tokenMoves
        )
        return try move.apply(to: &device)
    }

    private mutating func applyConsent(_ snapshot: RegistrationSnapshot) {
        let wasEnabled = device.isEnabled
        device.pushEnabled = snapshot.pushEnabled
        device.osPushEnabled = snapshot.osPushEnabled ?? device.osPushEnabled
        device.optOut = ConsentRules.optOut(
            after: .init(
                current: device.optOut, wasEnabled: wasEnabled, pushEnabled: device.pushEnabled,
                osPushEnabled: device.osPushEnabled
            ),
            now: now
        )
    }

    private mutating func applySystem(_ reading: SnapshotReading) {
        if device.accepts(row.order, over: device.propertiesOrder) {
            device.propertiesOrder = row.order
            device.system = device.system.updated(by: reading.system)
        }
        if let opened = lastOpened(reading) {
            device.lastOpenedAt = max(opened, device.lastOpenedAt ?? opened)
        }
    }

    /// The last opening, at most the server's time: a fast clock would report a future opening, and no later one would
    /// ever count.
    private func lastOpened(_ reading: SnapshotReading) -> Date? {
        reading.lastOpenedAt.map { min($0, row.receivedAt) }
    }

    /// The contact to which the device belongs from now on (REG-22 to REG-24), and what the device says to it. What was
    /// said before is compared, so it is replaced here, with the revision.
    private mutating func say(_ reading: SnapshotReading) throws -> ContactWord {
        let (contact, arrival) = try settle(reading)
        let word = ContactWord(
            device: device.id, contact: contact, arrival: arrival,
            attributes: AttributeChanges(from: device.applied?.values(saidOf: contact) ?? [:], to: reading.attributes),
            party: reading.partyIdentifier, lastOpenedAt: lastOpened(reading), tags: reading.tags,
            saidAt: row.receivedAt
        )
        device.applied = AppliedSnapshot(
            contact: contact,
            attributes: Dictionary(uniqueKeysWithValues: reading.attributes.map { ($0.key.rawValue, $0.value) }),
            formerContacts: device.applied?.formerContacts, mergedContacts: device.applied?.mergedContacts,
            revision: row.revision
        )
        device.revision = row.revision
        // Only Belfry's own SDK sends snapshots (WIRE-29).
        device.v3 = nil
        device.updatedAt = now
        return word
    }

    /// Gives the device the contact that the snapshot names, or a first one.
    ///
    /// - Returns: the device's contact, and what the contacts have to be told if it is another one.
    private mutating func settle(_ reading: SnapshotReading) throws -> (contact: Int64, arrival: ContactArrival?) {
        if let key = reading.contactKey, try !isRepeated(key), device.accepts(row.order, over: device.contactOrder),
            let contact = try known(by: key)
        {
            let arrival = try ContactChange(
                connection: connection, now: now, cause: .registration, saidAt: row.receivedAt
            ).give(contact, to: &device, by: .linked)
            device.contactOrder = row.order
            return (contact, arrival)
        }
        if let contact = device.contact { return (contact, nil) }
        // The contact gets a key that the server has drawn and does not send back.
        let contact = try connection.contacts.findOrInsert(
            app: device.app, key: ContactKey.anonymousPrefix + environment.uuid().uuidString, known: false, now: now
        )
        device.contact = contact
        try connection.contactLinks.note(
            device.id, from: nil, to: contact, cause: .registration, at: row.receivedAt
        )
        return (contact, nil)
    }

    /// Whether the device is linked to a contact that is named by this value in another field than the app's own: a
    /// snapshot has the value without its field.
    private func isRepeated(_ key: ContactKey) throws -> Bool {
        guard rules.settings.contactField != nil,
            let contact = try device.contact.flatMap(connection.contacts.find(id:))
        else { return false }
        if ContactName.isField(contact.key, with: key) { return true }
        // A former key of the contact counts as well (ADM-5). There may be any number of them (SEC-2).
        var last: Int64 = 0
        while true {
            let page = try connection.formerKeys.aliases(of: contact.id, after: last, limit: Self.keysAtOnce)
            if page.contains(where: { ContactName.isField($0.key, with: key) }) { return true }
            guard page.count == Self.keysAtOnce, let end = page.last else { return false }
            last = end.number
        }
    }

    /// The contact with a key. It is created when it is unknown. Nil when the device has created too many contacts
    /// (SEC-9), and for a contact that is being erased (REG-36).
    private mutating func known(by key: ContactKey) throws -> Int64? {
        if let contact = try connection.contacts.number(app: device.app, key: key.rawValue) {
            guard contact != device.contact,
                try ContactErasure.keepsAway(from: contact, at: now, in: connection)
            else { return contact }
            ownRejected.append(
                RejectedField(
                    field: "contactKey", reason: "beingErased",
                    message: "The contact is being erased, so the contact key is ignored."
                )
            )
            return nil
        }
        guard environment.newContacts.admits(device) else {
            ownRejected.append(
                RejectedField(
                    field: "contactKey", reason: "tooManyContacts",
                    message: "The device has created too many contacts for now, so the contact key is ignored."
                )
            )
            return nil
        }
        return try connection.contacts.findOrInsert(app: device.app, key: key.rawValue, known: true, now: now)
    }
}

/// The meaning of an error for a registration. The registration was acknowledged, so it is given up only when it can
/// never be applied (REG-20).
enum SnapshotApplicationError: Hashable, Sendable {
    /// The registration, or the rows that it changes, cannot be read or written.
    case lasting
    /// The database cannot do it now: all registrations wait.
    case passing
    /// The reason is unknown. The registration is tried a few times, alone; while the database is damaged, without a
    /// limit (SEC-8).
    case unknown

    init(_ error: any Error) {
        switch error {
        case let error where error.meansTryAgain: self = .passing
        case let error where error.meansDamage: self = .unknown
        case is StoreError, is DecodingError, is EncodingError, is ValueError: self = .lasting
        default: self = .unknown
        }
    }
}
