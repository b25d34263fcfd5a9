/// The reason why bytes are not acceptable JSON.
public enum JSONGrammarError: Error, Hashable, Sendable {
    case notUTF8
    /// More bytes than the maximum.
    case tooLong
    case tooDeep
    /// The bytes are not JSON from this offset on.
    case malformed(offset: Int, expected: String)
}

/// Checks bytes against the grammar of RFC 8259 in one pass, without recursion and without building values.
public struct JSONGrammar {
    /// The maximum length of a number in bytes. A double with all its digits has fewer.
    public static let maximumNumberLength = 1_100
    /// The maximum depth that a caller can allow: each level uses one bit.
    public static let deepest = 64

    private let bytes: UnsafeBufferPointer<UInt8>
    private let maximumDepth: Int
    private var index = 0
    private var depth = 0
    /// The open objects and lists, the innermost in the lowest bit: 1 for an object, 0 for a list.
    private var objects: UInt64 = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = min(maximumDepth, Self.deepest)
    }

    /// Checks that the bytes are one JSON value and nothing else, in UTF-8.
    ///
    /// Half of a surrogate pair in an escape, and a repeated key, are valid in the grammar; readers treat them
    /// differently.
    ///
    /// - Parameter maximumDepth: the maximum depth of nested lists and objects, up to ``deepest``.
    public static func check(
        _ bytes: UnsafeBufferPointer<UInt8>, maximumDepth: Int
    ) throws(JSONGrammarError) {
        var grammar = JSONGrammar(bytes, maximumDepth: maximumDepth)
        do {
            try grammar.document()
        } catch {
            // For a text in another encoding, that is a more helpful error than the first unexpected byte.
            guard case .malformed = error, !grammar.isUTF8 else { throw error }
            throw .notUTF8
        }
    }

    // MARK: Values

    private mutating func document() throws(JSONGrammarError) {
        repeat { try value() } while try isMoreToCome()
        guard next() == 0, index == bytes.count else { throw malformed("the end") }
    }

    /// Skips a scalar, or an empty object or list. For nested objects and lists, it opens all levels before the first
    /// of these.
    private mutating func value() throws(JSONGrammarError) {
        while true {
            switch next() {
            case UInt8(ascii: "{"):
                guard try enter(isObject: true) else { return }
                try key()
            case UInt8(ascii: "["):
                guard try enter(isObject: false) else { return }
            case Self.quote: return try string()
            case UInt8(ascii: "t"): return try word("true")
            case UInt8(ascii: "f"): return try word("false")
            case UInt8(ascii: "n"): return try word("null")
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
            default: throw malformed("a value")
            }
        }
    }

    /// After a value: closes the objects and lists that end here; true when another value follows.
    private mutating func isMoreToCome() throws(JSONGrammarError) -> Bool {
        while depth > 0 {
            switch next() {
            case UInt8(ascii: ","):
                index += 1
                if isInObject { try key() }
                return true
            case closing:
                index += 1
                depth -= 1
                objects >>= 1
            default:
                throw malformed("',' or '\(isInObject ? "}" : "]")'")
            }
        }
        return false
    }

    private var isInObject: Bool { objects & 1 == 1 }

    private var closing: UInt8 { UInt8(ascii: isInObject ? "}" : "]") }

    /// Opens an object or a list; false when it is empty.
    private mutating func enter(isObject: Bool) throws(JSONGrammarError) -> Bool {
        guard depth < maximumDepth else { throw .tooDeep }
        index += 1
        guard next() == UInt8(ascii: isObject ? "}" : "]") else {
            depth += 1
            objects = objects << 1 | (isObject ? 1 : 0)
            return true
        }
        index += 1
        return false
    }

    private mutating func key() throws(JSONGrammarError) {
        guard next() == Self.quote else { throw malformed("a key in quotes") }
        try string()
        guard next() == UInt8(ascii: ":") else { throw malformed("':'") }
        index += 1
    }

    // MARK: Scalars

    private static let quote = UInt8(ascii: "\"")

    private mutating func string() throws(JSONGrammarError) {
        index += 1
        while index < bytes.count {
            if let eight = EightBytes(bytes, at: index) {
                let plain = eight.plainJSONText
                index += plain
                guard plain < 8 else { continue }
            }
            switch bytes[index] {
            case Self.quote:
                index += 1
                return
            case UInt8(ascii: "\\"):
                guard let length = escapeLength else { throw malformed("an escape") }
                index += length
            case 0..<0x20:
                throw malformed("an escape for a control character")
            case 0x80...:
                guard let length = characterLength else { throw .notUTF8 }
                index += length
            default:
                index += 1
            }
        }
        throw malformed("a closing quote")
    }

    private var escapeLength: Int? {
        guard index + 1 < bytes.count else { return nil }
        switch bytes[index + 1] {
        case Self.quote, UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
            UInt8(ascii: "r"), UInt8(ascii: "t"):
            return 2
        case UInt8(ascii: "u"):
            guard index + 6 <= bytes.count else { return nil }
            return bytes[(index + 2)..<(index + 6)].allSatisfy(\.isHexDigit) ? 6 : nil
        default:
            return nil
        }
    }

    /// The number of bytes of the multi-byte character that begins here; nil when it is invalid (RFC 3629 §4).
    private var characterLength: Int? {
        let lead = bytes[index]
        let (count, second): (Int, ClosedRange<UInt8>) =
            switch lead {
            case 0xc2...0xdf: (2, 0x80...0xbf)
            case 0xe0: (3, 0xa0...0xbf)
            case 0xed: (3, 0x80...0x9f)
            case 0xe1...0xef: (3, 0x80...0xbf)
            case 0xf0: (4, 0x90...0xbf)
            case 0xf1...0xf3: (4, 0x80...0xbf)
            case 0xf4: (4, 0x80...0x8f)
            default: (1, 0...0)
            }
        guard count > 1, index + count <= bytes.count, second.contains(bytes[index + 1]) else { return nil }
        return bytes[(index + 2)..<(index + count)].allSatisfy { $0 & 0xc0 == 0x80 } ? count : nil
    }

    /// Whether all bytes are UTF-8, checked after the parser has stopped.
    private var isUTF8: Bool {
        var rest = self
        rest.index = 0
        while rest.index < bytes.count {
            guard let length = bytes[rest.index] < 0x80 ? 1 : rest.characterLength else { return false }
            rest.index += length
        }
        return true
    }

    private mutating func number() throws(JSONGrammarError) {
        let start = index
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        let isZeroFirst = index < bytes.count && bytes[index] == UInt8(ascii: "0")
        let count = digits()
        guard count == 1 || (count > 1 && !isZeroFirst) else { throw malformed("a number") }
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            index += 1
            guard digits() > 0 else { throw malformed("a digit") }
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < bytes.count, bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-") {
                index += 1
            }
            guard digits() > 0 else { throw malformed("a digit") }
        }
        guard index - start <= Self.maximumNumberLength else {
            index = start
            throw malformed("a number of at most \(Self.maximumNumberLength) characters")
        }
    }

    private mutating func digits() -> Int {
        let start = index
        while index < bytes.count, bytes[index] &- UInt8(ascii: "0") < 10 { index += 1 }
        return index - start
    }

    private mutating func word(_ word: StaticString) throws(JSONGrammarError) {
        let end = index + word.utf8CodeUnitCount
        let isThere =
            end <= bytes.count && word.withUTF8Buffer { letters in bytes[index..<end].elementsEqual(letters) }
        guard isThere else { throw malformed("a value") }
        index = end
    }

    /// The next byte that is not white space; at the end 0, which begins no value.
    private mutating func next() -> UInt8 {
        while index < bytes.count {
            let byte = bytes[index]
            guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { return byte }
            index += 1
        }
        return 0
    }

    private func malformed(_ expected: String) -> JSONGrammarError {
        .malformed(offset: index, expected: expected)
    }
}
