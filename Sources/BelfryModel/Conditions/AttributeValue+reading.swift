extension AttributeValue {
    /// The number that this is or reads as.
    public var numberRead: Double? {
        switch self {
        case .number(let number): number
        case .string(let text): DecimalText.number(text)
        case .boolean, .date: nil
        }
    }

    /// The text as which this is compared with what is no number.
    public var textRead: String {
        switch self {
        case .string(let text): text
        case .number(let number): Int64(exactly: number).map(String.init) ?? String(number)
        case .boolean(let flag): flag ? "true" : "false"
        case .date(let date): Timestamp.text(date)
        }
    }
}
