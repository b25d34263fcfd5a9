import BelfryWire

/// JSON as a value, of which the API's description is built.
enum JSONTree: Hashable, Sendable {
    case object([String: JSONTree])
    case list([JSONTree])
    case string(String)
    case number(Double)
    case boolean(Bool)

    /// An object without the members that are nil.
    static func members(_ members: [String: JSONTree?]) -> JSONTree {
        .object(members.compactMapValues(\.self))
    }

    static func integer(_ number: some BinaryInteger) -> JSONTree {
        .number(Double(number))
    }

    static func strings(_ strings: [String]) -> JSONTree {
        .list(strings.map(JSONTree.string))
    }

    /// The JSON text in UTF-8. Keys are sorted, so that equal trees are equal texts.
    var bytes: [UInt8] {
        var text = JSONWriter(capacity: 65_536)
        write(to: &text)
        return text.bytes
    }

    private func write(to text: inout JSONWriter) {
        switch self {
        case .string(let value): text.string(value)
        case .number(let value): text.number(value)
        case .boolean(let value): text.boolean(value)
        case .list(let elements): text.list(elements) { $0.write(to: &$1) }
        case .object(let members): text.object(members.sorted(by: { $0.key < $1.key })) { $0.write(to: &$1) }
        }
    }
}

extension JSONWriter {
    /// A list; `write` writes each value.
    mutating func list<Value>(_ values: [Value], _ write: (Value, inout JSONWriter) -> Void) {
        literal("[")
        for (index, value) in values.enumerated() {
            if index > 0 { literal(",") }
            write(value, &self)
        }
        literal("]")
    }

    /// An object with its members in the given order; `write` writes each value.
    mutating func object<Value>(
        _ members: some Sequence<(key: String, value: Value)>, _ write: (Value, inout JSONWriter) -> Void
    ) {
        literal("{")
        for (index, member) in members.enumerated() {
            if index > 0 { literal(",") }
            string(member.key)
            literal(":")
            write(member.value, &self)
        }
        literal("}")
    }
}
