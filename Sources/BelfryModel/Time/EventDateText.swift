/// Compares a date in a predicate with an event's attribute.
///
/// Events' attributes have no schema, so they are compared as texts. The SDK writes dates in a form in which the order
/// of the texts is the order of the dates, so a date in a predicate is converted to that form.
public enum EventDateText {
    /// The value in the SDK's form, if it is a date with a zone; otherwise the value itself.
    public static func ordered(_ value: AttributeValue) -> AttributeValue {
        guard case .string(let text) = value, let date = Timestamp.date(text) else { return value }
        return .string(Timestamp.text(date))
    }

    /// The texts that equal the value: the unchanged one, and the one in the SDK's form.
    public static func equals(_ value: AttributeValue) -> [AttributeValue] {
        let ordered = ordered(value)
        return ordered.textRead.utf8.elementsEqual(value.textRead.utf8) ? [value] : [value, ordered]
    }
}
