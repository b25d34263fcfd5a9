import BelfryModel

extension JSONReader {
    /// The text of the next object if it can be stored unchanged: ASCII keys without duplicates, strings without
    /// escapes and in Stream-Safe Format, numbers without exponents, no nesting, no null, no white space. Otherwise
    /// nil, and nothing is read.
    mutating func plainObject(maximumMembers: Int) -> String? {
        _ = next()
        let start = index
        let end = bytes.withUnsafeBufferPointer { bytes in
            PlainObject(bytes: bytes, place: start).end(maximumMembers: maximumMembers)
        }
        guard let end else { return nil }
        let text = String(decoding: bytes[start..<end], as: UTF8.self)
        guard isASCII || StreamSafeText.isSafe(text) else { return nil }
        index = end
        return text
    }

    /// The text of the next object, unchanged; nil for a value of another type, which is skipped.
    mutating func optionalObjectText() throws(JSONError) -> String? {
        let isObject = next() == UInt8(ascii: "{")
        let start = index
        try skipValue()
        return isObject ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    /// Skips a string without escapes; false for anything else, and then nothing is read.
    mutating func skipPlainString() -> Bool {
        _ = next()
        let start = index
        let end = bytes.withUnsafeBufferPointer { PlainObject(bytes: $0, place: start).endOfText() }
        index = end ?? start
        return end != nil
    }

    /// Skips `true` or `false`; false for anything else, and then nothing is read.
    mutating func skipPlainFlag() -> Bool {
        guard next() == UInt8(ascii: "t") || next() == UInt8(ascii: "f") else { return false }
        do {
            try skipValue()
            return true
        } catch {
            return false
        }
    }

    /// A whole number of up to 18 digits without sign; nil for anything else, and then nothing is read.
    mutating func plainWhole() -> Int64? {
        _ = next()
        let digits = bytes[index...].prefix(19).prefix { $0 &- UInt8(ascii: "0") < 10 }
        let follower = bytes.indices.contains(digits.endIndex) ? bytes[digits.endIndex] : 0
        let isWhole = ![UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")].contains(follower)
        guard (1...18).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0"), isWhole else {
            return nil
        }
        index = digits.endIndex
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
}

/// Scans a plain object.
private struct PlainObject {
    let bytes: UnsafeBufferPointer<UInt8>
    var place: Int

    private static let quote = UInt8(ascii: "\"")

    /// Where the object ends; nil when it is not plain.
    consuming func end(maximumMembers: Int) -> Int? {
        guard take(UInt8(ascii: "{")) else { return nil }
        if take(UInt8(ascii: "}")) { return place }
        var keys: [Range<Int>] = []
        while keys.count < maximumMembers {
            guard let key = text(), !key.isEmpty, isASCII(key), isNew(key, after: keys), take(UInt8(ascii: ":")),
                skipValue()
            else { return nil }
            if take(UInt8(ascii: "}")) { return place }
            guard take(UInt8(ascii: ",")) else { return nil }
            keys.append(key)
        }
        return nil
    }

    /// The end of the string that begins here; nil if there is none, or one with escapes.
    consuming func endOfText() -> Int? {
        text() == nil ? nil : place
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard place < bytes.count, bytes[place] == byte else { return false }
        place += 1
        return true
    }

    /// The range between the quotes.
    private mutating func text() -> Range<Int>? {
        guard take(Self.quote) else { return nil }
        let start = place
        while place < bytes.count {
            let byte = bytes[place]
            if byte == Self.quote {
                place += 1
                return start..<(place - 1)
            }
            guard byte >= 0x20, byte != UInt8(ascii: "\\") else { return nil }
            place += 1
        }
        return nil
    }

    /// Other letters have several spellings that compare as one key.
    private func isASCII(_ text: Range<Int>) -> Bool {
        bytes[text].allSatisfy { $0 < 0x80 }
    }

    private func isNew(_ key: Range<Int>, after keys: [Range<Int>]) -> Bool {
        !keys.contains { isEqual($0, key) }
    }

    private func isEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
        left.count == right.count && bytes[left].elementsEqual(bytes[right])
    }

    private mutating func skipValue() -> Bool {
        guard place < bytes.count else { return false }
        switch bytes[place] {
        case Self.quote: return text() != nil
        case UInt8(ascii: "t"): return skip("true")
        case UInt8(ascii: "f"): return skip("false")
        default: return skipNumber()
        }
    }

    private mutating func skip(_ word: StaticString) -> Bool {
        let end = place + word.utf8CodeUnitCount
        guard end <= bytes.count, word.withUTF8Buffer({ bytes[place..<end].elementsEqual($0) }) else { return false }
        place = end
        return true
    }

    private mutating func skipNumber() -> Bool {
        let start = place
        _ = take(UInt8(ascii: "-"))
        let first = place
        let digits = skipDigits()
        guard digits == 1 || (digits > 1 && bytes[first] != UInt8(ascii: "0")) else { return false }
        if take(UInt8(ascii: ".")), skipDigits() == 0 { return false }
        // An exponent, or anything else, fails at the next character.
        return place - start <= 18
    }

    private mutating func skipDigits() -> Int {
        let start = place
        while place < bytes.count, bytes[place] &- UInt8(ascii: "0") < 10 { place += 1 }
        return place - start
    }
}
