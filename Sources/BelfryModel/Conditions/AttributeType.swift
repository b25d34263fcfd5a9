/// The type of an attribute in an app's schema (REG-25).
public enum AttributeType: String, Hashable, Sendable, Codable, CaseIterable {
    case string
    case number
    case boolean
    case date

    /// The value as this type; nil when it is of another type. A date is read from ISO 8601 text.
    public func admit(_ value: AttributeValue) -> AttributeValue? {
        switch (self, value) {
        case (.string, .string), (.number, .number), (.boolean, .boolean), (.date, .date): value
        case (.date, .string(let text)): Timestamp.date(text).map(AttributeValue.date)
        default: nil
        }
    }
}
