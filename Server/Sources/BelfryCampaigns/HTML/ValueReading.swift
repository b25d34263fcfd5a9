/// Reads an attribute's value as a browser interprets it.
enum ValueReading: Hashable {
    /// A text without any effect.
    case text
    case address(AddressReading)
    case style(StyleReading)
    /// Code, or a page of its own: its presence is judged, not its content.
    case code
    /// A description of the page itself: it only must not contain a recipient's value.
    case own
    /// One of several words, in lower case.
    case word([UInt8], CharacterReferences)

    enum Violation: Hashable {
        /// An address has this scheme.
        case scheme(String)
        case style(StyleReading.Violation)
        /// A word, which may be permitted.
        case word(String)
    }

    /// No known word is longer.
    private static let maximumLength = 64
    /// Stands for a longer word, or one with a letter beyond ASCII. It cannot be a known word, so its letters are
    /// dropped: ways through a template that differ only in them become equal again.
    private static let longWord: [UInt8] = [CharacterReferences.other]

    mutating func read(_ byte: UInt8) -> Violation? {
        switch self {
        case .text, .code, .own: return nil
        case .address(var reading):
            let scheme = reading.read(byte)
            self = .address(reading)
            return scheme.map(Violation.scheme)
        case .style(var reading):
            // The value is moved out of `self`, so that it is not copied.
            self = .text
            let error = reading.read(byte)
            self = .style(reading)
            return error.map(Violation.style)
        case .word(var word, var references):
            guard word != Self.longWord else { return nil }
            references.read(byte, into: &word)
            let isLong = word.count > Self.maximumLength || word.contains(CharacterReferences.other)
            self = isLong ? .word(Self.longWord, CharacterReferences()) : .word(word, references)
            return nil
        }
    }

    /// The error that is known at the end of the value.
    mutating func end() -> Violation? {
        defer { self = .text }
        switch self {
        case .text, .code, .own, .style: return nil
        case .address(var reading): return reading.end().map(Violation.scheme)
        case .word(var word, var references):
            references.end(into: &word)
            guard !word.contains(CharacterReferences.other) else { return .word("\u{2026}") }
            return .word(String(decoding: word.map(HTMLByte.lowered), as: UTF8.self))
        }
    }

    /// Why a recipient's value is not permitted in this attribute. Nil if it is.
    func errorOfValue(in attribute: String) -> String? {
        switch self {
        case .text: nil
        case .address(let reading): reading.errorOfValue.map { "\($0), in '\(attribute)'" }
        case .style, .code: "in the code of '\(attribute)'"
        case .own, .word: "in '\(attribute)', which must not depend on a value"
        }
    }
}
