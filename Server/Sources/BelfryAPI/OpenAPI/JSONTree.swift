import BelfryWire

/// JSON as a value: what the description of the API is made of.
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
        case .list(let elements):
            text.literal("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { text.literal(",") }
                element.write(to: &text)
            }
            text.literal("]")
        case .object(let members):
            text.literal("{")
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { text.literal(",") }
                text.string(member.key)
                text.literal(":")
                member.value.write(to: &text)
            }
            text.literal("}")
        }
    }
}
