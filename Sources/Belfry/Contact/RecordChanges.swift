import BelfryModel
import BelfryRules

/// The changes of one edit, apart from the record to which they are made.
///
/// They are applied together to the record as it was before the edit. So it does not matter whether the contact key was
/// set before the values beside it or after them: they are the new person's (REG-8).
struct RecordChanges: Hashable, Sendable {
    /// The changes of a collection: those of single elements, after all of the former ones were removed or not.
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
    /// The value of a tag says nothing: it is there.
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
