/// Reads the value of an attribute as what a browser takes it for.
enum ValueReading: Hashable {
    /// A text, which nothing turns on.
    case text
    case address(AddressReading)
    case style(StyleReading)
    /// Code, or a page of its own: that it stands there is judged, not what it says.
    case code
    /// What the page says of itself: that no recipient's value stands there is all that is asked for.
    case own
    /// One of some words, in lower case.
    case word([UInt8], CharacterReferences)

    enum Violation: Hashable {
        /// An address has this scheme.
        case scheme(String)
        case style(StyleReading.Violation)
        /// A word, which may be fine.
        case word(String)
    }

    /// No word that is asked for is longer.
    private static let maximumLength = 64
    /// A longer word, or one with a letter beyond ASCII. It is none that is asked for, so its letters are forgotten: ways
    /// through a template that differ in them meet again.
    private static let longWord: [UInt8] = [CharacterReferences.other]

    mutating func read(_ byte: UInt8) -> Violation? {
        switch self {
        case .text, .code, .own: return nil
        case .address(var reading):
            let scheme = reading.read(byte)
            self = .address(reading)
            return scheme.map(Violation.scheme)
        case .style(var reading):
            // Nothing else holds it meanwhile, so it is not copied.
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

    /// What is known when the value is over.
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

    /// Why a recipient's value may not stand in the value of this attribute; nil where it may.
    func refusalOfValue(in attribute: String) -> String? {
        switch self {
        case .text: nil
        case .address(let reading): reading.refusalOfValue.map { "\($0), in '\(attribute)'" }
        case .style, .code: "in the code of '\(attribute)'"
        case .own, .word: "in '\(attribute)', which must not depend on a value"
        }
    }
}
