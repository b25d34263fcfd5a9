import BelfryModel

/// The changes of a snapshot to the contact's attributes, compared with the same device's previous snapshot: an old
/// device that repeats old values never overwrites what a newer one set (REG-28).
package struct AttributeChanges: Hashable, Sendable {
    package let set: [AttributeKey: AttributeValue]
    package let cleared: Set<AttributeKey>

    /// - Parameter previous: the values that the device last sent for the same contact, including blank ones.
    package init(from previous: [String: AttributeValue], to current: [AttributeKey: AttributeValue]) {
        // The previous values come from the store, where a date is text.
        let changed = current.filter { previous[$0.key.rawValue]?.asWritten != $0.value.asWritten }
        set = changed.filter { !$0.value.isBlank }
        cleared = Set(changed.filter(\.value.isBlank).keys)
    }

    package func applied(to attributes: [String: AttributeValue]) -> [String: AttributeValue] {
        var result = attributes
        for (key, value) in set { result[key.rawValue] = value }
        for key in cleared { result[key.rawValue] = nil }
        return result
    }
}
