import BelfryModel
import BelfryRules
import Foundation

/// Everything that the device remembers, except the queue.
struct DeviceState: Sendable {
    /// The installation's id, created once (REG-1).
    let id: DeviceID
    var record = ContactRecord()
    var sync = SyncState()
    var session = SessionRules()
    var privacy = PrivacyRules()
    var recipientTags = RecipientTags()
    var display = MessageViewSession()
    var inApp = InAppRules()

    /// The present contact and session.
    var trackingContext: TrackingContext {
        TrackingContext(owner: sync.link.owner, sessionID: session.session?.id)
    }

    /// Decides which pushes are accepted at present.
    var pushFilter: PushFilter {
        PushFilter(
            tags: recipientTags, reference: sync.link.references[sync.link.owner], isResting: privacy.rest != nil
        )
    }
}

extension DeviceState {
    /// Reads the stored state. A part that cannot be read starts empty: the device then sends again what it sent
    /// before, and the server treats that as a repetition (WIRE-25).
    init(store: DeviceStore, makeUUID: @Sendable () -> UUID) throws(BelfryError) {
        if let data = try store.value(.device), let id = try? DeviceID(String(decoding: data, as: UTF8.self)), id.isUUID
        {
            self.id = id
        } else {
            id = DeviceID(makeUUID())
            var values = [StoredKey.device: Data(id.rawValue.utf8)]
            // If the sync state is stored from the first moment on, the queue need not be read to find its owners
            // (PERF-9).
            if try store.value(.sync) == nil, try store.newestOwner() == nil {
                values[.sync] = try Self.data(SyncState())
            }
            try store.commit(StoreChange(values: values))
        }
        record = try Self.readRecord(from: store)
        if let stored: SyncState = try Self.read(.sync, from: store) {
            sync = stored
        } else if let newest = try store.newestOwner() {
            // The owners of the queued events are unknown, and no later person may become one of them. A device that
            // never ran has only one owner, who is not linked yet.
            let isLost = try store.value(.sync) != nil
            if isLost || newest > 0 { sync.link = LinkRules(owner: newest + 1) }
        }
        if let stored: SessionRules = try Self.read(.session, from: store) { session = stored }
        privacy = try Self.readPrivacy(from: store)
        recipientTags = try Self.read(.recipientTags, from: store) ?? RecipientTags(references: sync.link.references)
        if let stored: MessageViewSession = try Self.read(.display, from: store) { display = stored }
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

    /// Reads the in-app state. A device that has none stored still knows its person.
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

    /// The parts that differ from another state, in their stored form.
    func values(changedSince other: DeviceState) throws(BelfryError) -> [StoredKey: Data] {
        var values: [StoredKey: Data] = [:]
        if id != other.id { values[.device] = Data(id.rawValue.utf8) }
        if record != other.record { values[.record] = try Self.data(StoredRecord(record)) }
        if sync != other.sync { values[.sync] = try Self.data(sync) }
        if session != other.session { values[.session] = try Self.data(session) }
        if privacy != other.privacy { values[.privacy] = try Self.data(privacy) }
        if recipientTags != other.recipientTags { values[.recipientTags] = try Self.data(recipientTags) }
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

/// The values that every event gets at present.
struct TrackingContext: Sendable {
    /// The number of the contact for whom events are tracked now (ID-7).
    var owner = 0
    var sessionID: String?
}
