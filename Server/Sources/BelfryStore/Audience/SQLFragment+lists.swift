import Foundation

/// Lists of values. Engines limit the number of arguments of a statement, so a list of any length is one argument: a
/// JSON array.
extension SQLFragment {
    /// Up to so many values are separate arguments: the engine then knows their number, and plans for it.
    private static let few = 16

    /// Whether an expression is one of some texts; false for an empty list.
    static func membership(
        _ expression: SQLFragment, texts: [String], _ dialect: any Dialect
    ) -> SQLFragment {
        guard !texts.isEmpty else { return .nobody }
        guard texts.count > few else { return listed(expression, texts.map(SQLValue.text)) }
        return "\(expression) IN (\(SQLFragment(dialect.texts, [.texts(texts)])))"
    }

    static func membership(
        _ expression: SQLFragment, integers: [Int64], _ dialect: any Dialect
    ) -> SQLFragment {
        guard !integers.isEmpty else { return .nobody }
        guard integers.count > few else { return listed(expression, integers.map(SQLValue.integer)) }
        return "\(expression) IN (\(SQLFragment(dialect.integers, [.integers(integers)])))"
    }

    /// Fractions stay separate arguments: not every engine reads them from JSON to the last bit. There are at most as
    /// many as a predicate's lists have entries (`ConditionLimits`), which any engine accepts.
    static func membership(
        _ expression: SQLFragment, numbers: [Double], _ dialect: any Dialect
    ) -> SQLFragment {
        let parts = numberLists(numbers).map { list in
            switch list {
            case .integers(let integers): membership(expression, integers: integers, dialect)
            case .others(let numbers): listed(expression, numbers.map(SQLValue.real))
            }
        }
        return parts.count == 1 ? parts[0] : parts.isEmpty ? .nobody : .joined(parts, by: "OR")
    }

    private enum NumberList {
        case integers([Int64])
        case others([Double])
    }

    private static func numberLists(_ numbers: [Double]) -> [NumberList] {
        guard numbers.count > few else { return numbers.isEmpty ? [] : [.others(numbers)] }
        let integers = numbers.compactMap { Int64(exactly: $0) }.filter { $0.magnitude <= 1 << 53 }
        let known = Set(integers)
        let others = numbers.filter { number in Int64(exactly: number).map { !known.contains($0) } ?? true }
        return (integers.isEmpty ? [] : [.integers(integers)]) + (others.isEmpty ? [] : [.others(others)])
    }

    private static func listed(_ expression: SQLFragment, _ values: [SQLValue]) -> SQLFragment {
        "\(expression) IN (\(SQLFragment(.marks(values.count), values)))"
    }
}

extension SQLValue {
    /// The argument of ``Dialect/texts``, a JSON array.
    package static func texts(_ values: some Sequence<String>) -> SQLValue {
        var json: [UInt8] = [UInt8(ascii: "[")]
        for value in values {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            json.append(UInt8(ascii: "\""))
            for byte in value.utf8 { append(byte, to: &json) }
            json.append(UInt8(ascii: "\""))
        }
        json.append(UInt8(ascii: "]"))
        return .text(String(decoding: json, as: UTF8.self))
    }

    /// Appends a byte to a JSON string, escaped if needed. In UTF-8 only ASCII bytes can need it.
    private static func append(_ byte: UInt8, to json: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            json += [UInt8(ascii: "\\"), byte]
        case 0x00..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            json += Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 0xf)]]
        default:
            json.append(byte)
        }
    }
}
