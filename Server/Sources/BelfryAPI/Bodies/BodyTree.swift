import BelfryWire

/// A body's JSON as a tree, from our own reader (SEC-6), for checks that the decoder cannot make. If a key occurs
/// twice, the first counts, as it does for the decoder: what is checked is what is decoded.
enum BodyTree: Hashable, Sendable {
    case object([String: BodyTree])
    case list([BodyTree])
    case string(String)
    /// A number as it was written.
    case number(String)
    case boolean(Bool)
    case null

    init(_ bytes: [UInt8]) throws(JSONError) {
        var reader = try JSONReader(bytes)
        self = try Self.read(&reader)
        try reader.end()
    }

    private static func read(_ reader: inout JSONReader) throws(JSONError) -> BodyTree {
        switch reader.next() {
        case UInt8(ascii: "{"):
            var members: [String: BodyTree] = [:]
            try reader.object { reader, key throws(JSONError) in
                let value = try read(&reader)
                if members[key] == nil { members[key] = value }
            }
            return .object(members)
        case UInt8(ascii: "["):
            var elements: [BodyTree] = []
            try reader.list { reader throws(JSONError) in elements.append(try read(&reader)) }
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
    /// The tree without object members that are null.
    var withoutNulls: BodyTree {
        switch self {
        case .object(let members): .object(members.filter { $0.value != .null }.mapValues(\.withoutNulls))
        case .list(let elements): .list(elements.map(\.withoutNulls))
        case .string, .number, .boolean, .null: self
        }
    }

    /// The tree with texts in place of numbers that are fractions, or too large for a whole number.
    ///
    /// - Parameter kept: the paths of numbers that are not replaced; an element of a list is `[0]`.
    func withFractionsAsText(besides kept: Set<[String]>, at path: [String] = []) -> BodyTree {
        switch self {
        case .object(let members):
            var texts = members
            for (key, value) in members { texts[key] = value.withFractionsAsText(besides: kept, at: path + [key]) }
            return .object(texts)
        case .list(let elements):
            return .list(
                elements.enumerated().map { $1.withFractionsAsText(besides: kept, at: path + ["[\($0)]"]) }
            )
        case .number(let text):
            return Self.isWhole(text) || kept.contains(path) ? self : .string(text)
        case .string, .boolean, .null:
            return self
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
        case .list(let elements): text.list(elements) { $0.write(to: &$1) }
        case .object(let members): text.object(members) { $0.write(to: &$1) }
        }
    }
}
