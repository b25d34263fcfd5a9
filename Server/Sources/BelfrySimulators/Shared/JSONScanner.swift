/// Scans JSON (RFC 8259) in one pass without building values, because it runs for every request. A method returns
/// false, or nil, when its input is not JSON.
struct JSONScanner {
    /// The maximum depth of nested objects and arrays: a peer's input must not exhaust the stack.
    static let depthLimit = 64

    /// Called for each key of an object, with its range between the quotation marks; it must read the value.
    typealias Member = (_ key: Range<Int>, _ scanner: inout JSONScanner) -> Bool

    let bytes: [UInt8]
    private(set) var position = 0
    private var depth = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The next byte; nil at the end.
    var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Whether the bytes at `range` are `name`. Escapes are not resolved.
    func text(at range: Range<Int>, is name: StaticString) -> Bool {
        range.count == name.utf8CodeUnitCount && name.withUTF8Buffer { bytes[range].elementsEqual($0) }
    }

    /// Reads a text that is one object, in UTF-8.
    mutating func document(_ member: Member) -> Bool {
        guard isUTF8 else { return false }
        skipSpace()
        guard object(member) else { return false }
        skipSpace()
        return position == bytes.count
    }

    /// Whether the text is UTF-8. RFC 8259 §8.1: between systems, JSON has no other encoding.
    private var isUTF8: Bool {
        bytes.allSatisfy { $0 < 0x80 } || String(validating: bytes, as: UTF8.self) != nil
    }

    mutating func object(_ member: Member) -> Bool {
        guard depth < Self.depthLimit, take("{") else { return false }
        depth += 1
        defer { depth -= 1 }
        skipSpace()
        if take("}") { return true }
        repeat {
            skipSpace()
            guard let key = string() else { return false }
            skipSpace()
            guard take(":") else { return false }
            skipSpace()
            guard member(key, &self) else { return false }
            skipSpace()
        } while take(",")
        return take("}")
    }

    /// Skips any value.
    mutating func value() -> Bool {
        guard let first = next else { return false }
        return switch first {
        case UInt8(ascii: "{"): object { _, scanner in scanner.value() }
        case UInt8(ascii: "["): array { $0.value() }
        case UInt8(ascii: "\""): string() != nil
        case UInt8(ascii: "t"): word("true")
        case UInt8(ascii: "f"): word("false")
        case UInt8(ascii: "n"): word("null")
        default: number()
        }
    }

    mutating func array(_ element: (inout JSONScanner) -> Bool) -> Bool {
        guard depth < Self.depthLimit, take("[") else { return false }
        depth += 1
        defer { depth -= 1 }
        skipSpace()
        if take("]") { return true }
        repeat {
            skipSpace()
            guard element(&self) else { return false }
            skipSpace()
        } while take(",")
        return take("]")
    }

    /// Reads a string and returns its range between the quotation marks.
    mutating func string() -> Range<Int>? {
        guard take("\"") else { return nil }
        let start = position
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return start..<(position - 1)
            case UInt8(ascii: "\\"): guard escape() else { return nil }
            case 0..<0x20: return nil
            default: break
            }
        }
        return nil
    }

    private mutating func escape() -> Bool {
        if take("u") {
            for _ in 0..<4 {
                guard let digit = next, Hexadecimal.value(of: digit) != nil else { return false }
                position += 1
            }
            return true
        }
        for plain: Unicode.Scalar in ["\"", "\\", "/", "b", "f", "n", "r", "t"] where take(plain) {
            return true
        }
        return false
    }

    private mutating func number() -> Bool {
        _ = take("-")
        if !take("0") {
            guard digits() else { return false }
        }
        if take(".") {
            guard digits() else { return false }
        }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            return digits()
        }
        return true
    }

    private mutating func digits() -> Bool {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            position += 1
        }
        return position > start
    }

    private mutating func word(_ expected: StaticString) -> Bool {
        let end = position + expected.utf8CodeUnitCount
        guard end <= bytes.count, text(at: position..<end, is: expected) else { return false }
        position = end
        return true
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }
}
