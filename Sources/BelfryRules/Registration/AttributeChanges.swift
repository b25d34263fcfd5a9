import BelfryModel

/// What a snapshot changes on the contact's attributes, compared with the same device's previous snapshot: an old
/// device that repeats old values never overwrites what a newer one set (REG-28).
public struct AttributeChanges: Hashable, Sendable {
    public let set: [AttributeKey: AttributeValue]
    public let cleared: Set<AttributeKey>

    /// - Parameter previous: what the device said last of the same contact, blank values included.
    public init(from previous: [String: AttributeValue], to current: [AttributeKey: AttributeValue]) {
        // What was said last comes from the store, where a date is text.
        let changed = current.filter { previous[$0.key.rawValue]?.asWritten != $0.value.asWritten }
        set = changed.filter { !$0.value.isBlank }
        cleared = Set(changed.filter(\.value.isBlank).keys)
    }

    public func applied(to attributes: [String: AttributeValue]) -> [String: AttributeValue] {
        var result = attributes
        for (key, value) in set { result[key.rawValue] = value }
        for key in cleared { result[key.rawValue] = nil }
        return result
    }
}
