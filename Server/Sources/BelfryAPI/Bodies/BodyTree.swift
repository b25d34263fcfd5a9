import BelfryWire

/// The JSON of a body as a tree, read by our own reader (SEC-6): for what must be known of a body beside what is decoded
/// of it. Of a key that stands twice the first counts, as it does for the decoder: what is checked is what is decoded.
enum BodyTree: Hashable, Sendable {
    case object([String: BodyTree])
    case list([BodyTree])
    case string(String)
    /// As it was written.
    case number(String)
    case boolean(Bool)
    case null

    init(_ bytes: [UInt8]) throws(JSONFault) {
        var reader = try JSONReader(bytes)
        self = try Self.read(&reader)
        try reader.end()
    }

    private static func read(_ reader: inout JSONReader) throws(JSONFault) -> BodyTree {
        switch reader.next() {
        case UInt8(ascii: "{"):
            var members: [String: BodyTree] = [:]
            try reader.object { reader, key throws(JSONFault) in
                let value = try read(&reader)
                if members[key] == nil { members[key] = value }
            }
            return .object(members)
        case UInt8(ascii: "["):
            var elements: [BodyTree] = []
            try reader.list { reader throws(JSONFault) in elements.append(try read(&reader)) }
            return .list(elements)
        case UInt8(ascii: "\""):
            return .string(try reader.string())
        default:
            let start = reader.index
            try reader.skipValue()
            return scalar(String(decoding: reader.bytes[start..<reader.index], as: UTF8.self))
        }
    }

    private static func scalar(_ word: String) -> BodyTree {
        switch word {
        case "true": .boolean(true)
        case "false": .boolean(false)
        case "null": .null
        default: .number(word)
        }
    }
}

extension BodyTree {
    /// Without the members of objects that are null.
    var withoutNulls: BodyTree {
        switch self {
        case .object(let members): .object(members.filter { $0.value != .null }.mapValues(\.withoutNulls))
        case .list(let elements): .list(elements.map(\.withoutNulls))
        case .string, .number, .boolean, .null: self
        }
    }

    /// With texts in place of the numbers that are no whole ones, or too large for one.
    var withFractionsAsText: BodyTree {
        switch self {
        case .object(let members): .object(members.mapValues(\.withFractionsAsText))
        case .list(let elements): .list(elements.map(\.withFractionsAsText))
        case .number(let text): Self.isWhole(text) ? self : .string(text)
        case .string, .boolean, .null: self
        }
    }

    private static func isWhole(_ text: String) -> Bool {
        guard let number = Double(text) else { return false }
        return Int64(exactly: number) != nil
    }

    /// The JSON text.
    var bytes: [UInt8] {
        var text = JSONWriter(capacity: 1_024)
        write(to: &text)
        return text.bytes
    }

    private func write(to text: inout JSONWriter) {
        switch self {
        case .string(let value): text.string(value)
        case .number(let value): text.raw(value)
        case .boolean(let value): text.boolean(value)
        case .null: text.literal("null")
        case .list(let elements):
            text.literal("[")
            for (index, element) in elements.enumerated() {
                if index > 0 { text.literal(",") }
                element.write(to: &text)
            }
            text.literal("]")
        case .object(let members):
            text.literal("{")
            for (index, member) in members.enumerated() {
                if index > 0 { text.literal(",") }
                text.string(member.key)
                text.literal(":")
                member.value.write(to: &text)
            }
            text.literal("}")
        }
    }
}
