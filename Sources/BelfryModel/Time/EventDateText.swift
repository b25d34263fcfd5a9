/// How a date in a predicate is compared with an event's attribute.
///
/// Nobody defines what an event's attributes are, so they are compared as texts. The SDK writes dates in one form, in
/// which the order of the texts is the order of the dates; so a date in a predicate is brought into that form.
public enum EventDateText {
    /// The value in the SDK's form, if it is a date with a zone; else the value itself.
    public static func ordered(_ value: AttributeValue) -> AttributeValue {
        guard case .string(let text) = value, let date = Timestamp.date(text) else { return value }
        return .string(Timestamp.text(date))
    }

    /// The texts to which the value is equal: as it stands there, and in the SDK's form.
    public static func equals(_ value: AttributeValue) -> [AttributeValue] {
        let ordered = ordered(value)
        return ordered.textRead.utf8.elementsEqual(value.textRead.utf8) ? [value] : [value, ordered]
    }
}
