import BelfryModel
import BelfryRules
import Foundation

/// Everything that the device remembers, but for the queue.
struct DeviceState: Sendable {
    /// Made once for each installation (REG-1).
    let id: DeviceID
    var record = ContactRecord()
    var sync = SyncState()
    var session = SessionRules()
    var privacy = PrivacyRules()
    var marks = RecipientMarks()
    var display = DisplayRules()
    var inApp = InAppRules()

    /// The contact and the session of the moment.
    var trackingContext: TrackingContext {
        TrackingContext(owner: sync.link.owner, sessionID: session.session?.id)
    }

    /// The pushes that are taken at the moment.
    var pushFilter: PushFilter {
        PushFilter(marks: marks, reference: sync.link.references[sync.link.owner], isResting: privacy.rest != nil)
    }
}

extension DeviceState {
    /// Reads what is stored. A part that cannot be read begins anew: the device then says again what it said before,
    /// and the server takes it for a repetition (WIRE-25).
    init(store: DeviceStore, makeUUID: @Sendable () -> UUID) throws(BelfryError) {
        if let data = try store.value(.device), let id = try? DeviceID(String(decoding: data, as: UTF8.self)) {
            self.id = id
        } else {
            id = DeviceID(makeUUID())
            var values = [StoredKey.device: Data(id.rawValue.utf8)]
            // With a talk stored from the first moment on, nobody has to read the queue to know whose it is (PERF-9).
            if try store.value(.sync) == nil, try store.newestOwner() == nil {
                values[.sync] = try Self.data(SyncState())
            }
            try store.commit(StoreChange(values: values))
        }
        record = try Self.readRecord(from: store)
        if let stored: SyncState = try Self.read(.sync, from: store) {
            sync = stored
        } else if let newest = try store.newestOwner() {
            // The owners of what is queued are forgotten; nobody who comes now may become one of them. A device that
            // never ran has one owner, who is still to be linked.
            let isLost = try store.value(.sync) != nil
            if isLost || newest > 0 { sync.link = LinkRules(owner: newest + 1) }
        }
        if let stored: SessionRules = try Self.read(.session, from: store) { session = stored }
        privacy = try Self.readPrivacy(from: store)
        marks = try Self.read(.marks, from: store) ?? RecipientMarks(references: sync.link.references)
        if let stored: DisplayRules = try Self.read(.display, from: store) { display = stored }
        inApp = try Self.readInApp(of: sync.link, from: store)
    }

    private static func readRecord(from store: DeviceStore) throws(BelfryError) -> ContactRecord {
        guard try store.value(.record) != nil else { return ContactRecord() }
        let stored: StoredRecord? = try read(.record, from: store)
        return stored?.record ?? .unreadable
    }

    private static func readPrivacy(from store: DeviceStore) throws(BelfryError) -> PrivacyRules {
        guard try store.value(.privacy) != nil else { return PrivacyRules() }
        return try read(.privacy, from: store) ?? .unreadable
    }

    /// A device that never kept any knows at least who its person is.
    private static func readInApp(of link: LinkRules, from store: DeviceStore) throws(BelfryError) -> InAppRules {
        if let stored: InAppRules = try read(.inApp, from: store) { return stored }
        var rules = InAppRules()
        if let reference = link.references[link.owner] { rules.linked(reference, owner: link.owner) }
        return rules
    }

    private static func read<Value: Decodable>(_ key: StoredKey, from store: DeviceStore) throws(BelfryError) -> Value?
    {
        guard let data = try store.value(key) else { return nil }
        return try? CheckedJSON.stored(Value.self, data)
    }

    /// The parts that differ from those of another state, as the store keeps them.
    func values(changedSince other: DeviceState) throws(BelfryError) -> [StoredKey: Data] {
        var values: [StoredKey: Data] = [:]
        if id != other.id { values[.device] = Data(id.rawValue.utf8) }
        if record != other.record { values[.record] = try Self.data(StoredRecord(record)) }
        if sync != other.sync { values[.sync] = try Self.data(sync) }
        if session != other.session { values[.session] = try Self.data(session) }
        if privacy != other.privacy { values[.privacy] = try Self.data(privacy) }
        if marks != other.marks { values[.marks] = try Self.data(marks) }
        if display != other.display { values[.display] = try Self.data(display) }
        if inApp != other.inApp { values[.inApp] = try Self.data(inApp) }
        return values
    }

    private static func data(_ value: some Encodable) throws(BelfryError) -> Data {
        do {
            return try JSONEncoder().encode(value)
        } catch {
            throw BelfryError.storage(error)
        }
    }
}
