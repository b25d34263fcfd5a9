import BelfryModel
import BelfryRules

/// The changes of one edit, separate from the record to which they are applied.
///
/// They are applied together to the record as it was before the edit. So values belong to the new person whether they
/// were set before the contact key or after it (REG-8).
struct RecordChanges: Hashable, Sendable {
    /// The changes of a collection: single elements, optionally after all former ones were removed.
    struct Elements<Key: Hashable & Sendable, Value: Hashable & Sendable>: Hashable, Sendable {
        private(set) var removesFormer = false
        /// Nil: the element is removed.
        private(set) var changes: [Key: Value?] = [:]

        mutating func set(_ key: Key, to value: Value) {
            changes.updateValue(value, forKey: key)
        }

        mutating func remove(_ key: Key) {
            changes.updateValue(nil, forKey: key)
        }

        mutating func removeAll() {
            removesFormer = true
            changes = [:]
        }
    }

    var contactKey: ContactKey?
    var partyIdentifier: PartyIdentifier?
    var pushEnabled: Bool?
    var attributes = Elements<AttributeKey, AttributeValue>()
    /// The value of a tag has no meaning.
    var tags = Elements<Tag, Bool>()

    /// - Parameters:
    ///   - wasProven: an OpenID token identified the person to whom the former record belongs.
    ///   - standardField: the configured contact field.
    /// - Returns: the record after the edit, and whether another person uses the device from then on.
    func applied(
        to former: ContactRecord, wasProven: Bool, standardField: String?
    ) -> (record: ContactRecord, isOther: Bool) {
        var record = former
        var isOther = false
        if let contactKey {
            isOther = record.setContactKey(contactKey, standard: standardField, wasProven: wasProven)
        }
        record.partyIdentifier = partyIdentifier ?? record.partyIdentifier
        record.pushEnabled = pushEnabled ?? record.pushEnabled
        if attributes.removesFormer { record.attributes = [:] }
        for (key, value) in attributes.changes {
            record.attributes[key] = value
        }
        if tags.removesFormer { record.tags = [] }
        for (tag, isAdded) in tags.changes {
            if isAdded == nil { record.tags.remove(tag) } else { record.tags.insert(tag) }
        }
        return (record, isOther)
    }
}
