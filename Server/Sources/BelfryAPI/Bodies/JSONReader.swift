import BelfryModel
import BelfryWire

/// Reads JSON from bytes in one pass, strictly according to RFC 8259, at most ``WireLimits/maximumJSONDepth`` levels
/// deep.
///
/// It is used where one invalid element must not affect the others, and where a decoder is too slow (PERF-4). It is a
/// value: keep a copy to read again.
struct JSONReader {
    let bytes: [UInt8]
    var index = 0
    private var depth = 0
    let isASCII: Bool

    init(_ bytes: [UInt8]) throws(JSONError) {
        isASCII = bytes.allSatisfy { $0 < 0x80 }
        guard isASCII || String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
        self.bytes = bytes
    }

    /// Checks that the bytes are one JSON value and nothing else.
    static func check(_ bytes: [UInt8]) throws(JSONError) {
        do {
            try bytes.withUnsafeBufferPointer { bytes throws(JSONGrammarError) in
                try JSONGrammar.check(bytes, maximumDepth: WireLimits.maximumJSONDepth)
            }
        } catch {
            throw JSONError(error)
        }
    }

    /// Whether the next value is null.
    var isAtNull: Bool {
        mutating get { next() == UInt8(ascii: "n") }
    }

    mutating func end() throws(JSONError) {
        _ = next()
        guard index == bytes.count else { throw malformed("the end") }
    }

    // MARK: Values

    /// Reads an object; `member` must read or skip each value.
    mutating func object(_ member: (inout JSONReader, String) throws(JSONError) -> Void) throws(JSONError) {
        guard next() == UInt8(ascii: "{") else { throw mismatch("an object") }
        guard try enter(closing: UInt8(ascii: "}")) else { return }
        repeat {
            let key = try key()
            do {
                try member(&self, key)
            } catch {
                throw error.inside(key)
            }
        } while try another(closing: UInt8(ascii: "}"))
    }

    /// Reads a list; `element` must read or skip each value.
    mutating func list(_ element: (inout JSONReader) throws(JSONError) -> Void) throws(JSONError) {
        guard next() == UInt8(ascii: "[") else { throw mismatch("a list") }
        guard try enter(closing: UInt8(ascii: "]")) else { return }
        var count = 0
        repeat {
            do {
                try element(&self)
            } catch {
                throw error.inside("[\(count)]")
            }
            count += 1
        } while try another(closing: UInt8(ascii: "]"))
    }

    /// A string in Stream-Safe Format (``StreamSafeText``).
    mutating func string() throws(JSONError) -> String {
        guard next() == Self.quote else { throw mismatch("a string") }
        let start = index + 1
        let isEscaped = try skipString()
        let content = bytes[start..<(index - 1)]
        guard isEscaped else {
            let text = String(decoding: content, as: UTF8.self)
            return isASCII ? text : StreamSafeText.make(of: text)
        }
        guard let text = JSONEscapes.resolved(content) else {
            throw .unexpected(field: "", expected: "a string without lone surrogates")
        }
        return StreamSafeText.make(of: text)
    }

    /// A string; nil for null.
    mutating func optionalString() throws(JSONError) -> String? {
        guard isAtNull else { return try string() }
        try skipWord("null")
        return nil
    }

    /// The value of an attribute; nil for null.
    mutating func optionalAttributeValue() throws(JSONError) -> AttributeValue? {
        switch next() {
        case Self.quote:
            return .string(try string())
        case UInt8(ascii: "t"):
            try skipWord("true")
            return .boolean(true)
        case UInt8(ascii: "f"):
            try skipWord("false")
            return .boolean(false)
        case UInt8(ascii: "n"):
            try skipWord("null")
            return nil
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return .number(try number())
        default:
            throw mismatch("a string, a number, true or false")
        }
    }

    /// Skips a value of any type.
    mutating func skipValue() throws(JSONError) {
        switch next() {
        case UInt8(ascii: "{"):
            try skipObject()
        case UInt8(ascii: "["):
            guard try enter(closing: UInt8(ascii: "]")) else { return }
            repeat { try skipValue() } while try another(closing: UInt8(ascii: "]"))
        case Self.quote: _ = try skipString()
        case UInt8(ascii: "t"): try skipWord("true")
        case UInt8(ascii: "f"): try skipWord("false")
        case UInt8(ascii: "n"): try skipWord("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): _ = try skipNumber()
        default: throw malformed("a value")
        }
    }

    // MARK: Parts

    private static let quote = UInt8(ascii: "\"")

    /// The next byte that is not white space; at the end 0, which begins no value.
    mutating func next() -> UInt8 {
        while index < bytes.count {
            let byte = bytes[index]
            guard byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 else { return byte }
            index += 1
        }
        return 0
    }

    /// Opens an object or list; false if it is empty.
    private mutating func enter(closing: UInt8) throws(JSONError) -> Bool {
        guard depth < WireLimits.maximumJSONDepth else { throw .tooDeep }
        index += 1
        guard next() == closing else {
            depth += 1
            return true
        }
        index += 1
        return false
    }

    /// Whether a comma follows, rather than the closing bracket.
    private mutating func another(closing: UInt8) throws(JSONError) -> Bool {
        switch next() {
        case UInt8(ascii: ","):
            index += 1
            return true
        case closing:
            index += 1
            depth -= 1
            return false
        default:
            throw malformed("',' or '\(Character(Unicode.Scalar(closing)))'")
        }
    }

    private mutating func key() throws(JSONError) -> String {
        guard next() == Self.quote else { throw malformed("a key in quotes") }
        let key = try string()
        try colon()
        return key
    }

    private mutating func colon() throws(JSONError) {
        guard next() == UInt8(ascii: ":") else { throw malformed("':'") }
        index += 1
    }

    private mutating func skipObject() throws(JSONError) {
        guard try enter(closing: UInt8(ascii: "}")) else { return }
        repeat {
            guard next() == Self.quote else { throw malformed("a key in quotes") }
            _ = try skipString()
            try colon()
            try skipValue()
        } while try another(closing: UInt8(ascii: "}"))
    }

    private mutating func skipWord(_ word: StaticString) throws(JSONError) {
        let end = index + word.utf8CodeUnitCount
        let isThere =
            end <= bytes.count
            && word.withUTF8Buffer { letters in bytes[index..<end].elementsEqual(letters) }
        guard isThere else { throw malformed("a value") }
        index = end
    }

    /// Skips a string with its quotes; true if it contains escapes.
    private mutating func skipString() throws(JSONError) -> Bool {
        var isEscaped = false
        index += 1
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case Self.quote:
                index += 1
                return isEscaped
            case UInt8(ascii: "\\"):
                isEscaped = true
                guard let length = JSONEscapes.length(at: index, in: bytes) else { throw malformed("an escape") }
                index += length
            case 0..<0x20:
                throw malformed("an escape for a control character")
            default:
                index += 1
            }
        }
        throw malformed("a closing quote")
    }

    /// Skips a number; true if it consists of digits only.
    private mutating func skipNumber() throws(JSONError) -> Bool {
        let start = index
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        let leadingZero = index < bytes.count && bytes[index] == UInt8(ascii: "0")
        let digits = skipDigits()
        guard digits == 1 || (digits > 1 && !leadingZero) else { throw malformed("a number") }
        var isWhole = true
        if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
            isWhole = false
            index += 1
            guard skipDigits() > 0 else { throw malformed("a digit") }
        }
        if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
            isWhole = false
            index += 1
            if index < bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[index]) { index += 1 }
            guard skipDigits() > 0 else { throw malformed("a digit") }
        }
        guard index - start <= JSONGrammar.maximumNumberLength else {
            index = start
            throw malformed("a number of at most \(JSONGrammar.maximumNumberLength) characters")
        }
        return isWhole
    }

    private mutating func skipDigits() -> Int {
        let start = index
        while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { index += 1 }
        return index - start
    }

    private mutating func number() throws(JSONError) -> Double {
        let start = index
        let isWhole = try skipNumber()
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        // Whole numbers are the common case, and faster to read.
        if isWhole, index - start < 18, let whole = Int64(text) { return Double(whole) }
        guard let number = Double(text), number.isFinite else {
            throw .unexpected(field: "", expected: "a number that a double can hold")
        }
        return number
    }

    /// The next value is JSON of another type, as far as its first byte shows.
    private mutating func mismatch(_ expected: String) -> JSONError {
        next() == 0 ? malformed(expected) : .unexpected(field: "", expected: expected)
    }

    private func malformed(_ expected: String) -> JSONError {
        .malformed(offset: index, expected: expected)
    }
}
