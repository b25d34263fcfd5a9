import BelfryModel

extension AttributeValue {
    /// For people: what was written, without quotes.
    var text: String {
        switch self {
        case .string(let text): text
        // Whole numbers without a fraction, as people type them.
        case .number(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .boolean(let flag): "\(flag)"
        case .date(let date): Timestamp.text(date)
        }
    }
}

extension [String: AttributeValue] {
    /// By name: `price=9.5, sku=42`.
    var text: String {
        sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }.joined(separator: ", ")
    }
}

extension Bool {
    var yesOrNo: String { self ? "yes" : "no" }
}
