import Foundation

/// The rule for all names: trimmed, not blank, limited in length, without the null character.
public enum NamingRule {
    /// The maximum length of a name in bytes: a character may have any number of bytes, an index entry may not.
    public static let maximumBytes = 1_024

    /// The maximum length in bytes of a text before it is composed: U+0390 has two bytes when composed, and up to seven
    /// before.
    private static let maximumRawBytes = 4 * maximumBytes

    /// - Parameters:
    ///   - what: the subject of the error: `A tag`.
    ///   - maximumLength: in characters.
    package static func parse(_ raw: String, _ what: String, maximumLength: Int) throws(ValueError) -> String {
        if isPlain(raw, maximumLength: maximumLength) { return raw }
        try rejectLong(raw, what)
        let trimmed = raw.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !trimmed.isEmpty else {
            throw ValueError(code: "blank", message: "\(what) cannot be empty or blank.")
        }
        guard trimmed.count <= maximumLength else {
            throw ValueError(code: "tooLong", message: "\(what) has at most \(maximumLength) characters.")
        }
        guard trimmed.utf8.count <= maximumBytes else {
            throw ValueError(code: "tooLong", message: "\(what) has at most \(maximumBytes) bytes.")
        }
        try refuseNull(in: trimmed, what)
        return trimmed
    }

    /// Parses a name and composes it: for Swift the two spellings of "é" are equal, for a database they are not.
    package static func parseComposed(_ raw: String, _ what: String, maximumLength: Int) throws(ValueError) -> String {
        if isPlain(raw, maximumLength: maximumLength) { return raw }
        try rejectLong(raw, what)
        return try parse(composed(raw), what, maximumLength: maximumLength)
    }

    /// A given name in the spelling in which names are stored. A text that is too long for a name is not composed
    /// (SEC-6): it stays unchanged, and matches no name.
    public static func composed(_ raw: String) -> String {
        ComposedText.make(of: raw, within: maximumRawBytes) ?? raw
    }

    /// What is trimmed and composed is as long as a name can be that becomes shorter by it, and no longer.
    private static func rejectLong(_ raw: String, _ what: String) throws(ValueError) {
        guard raw.utf8.count <= maximumRawBytes else {
            throw ValueError(code: "tooLong", message: "\(what) has at most \(maximumBytes) bytes.")
        }
    }

    /// Whether the bytes already follow the rule: printable ASCII without spaces at its ends. Most names do, and
    /// Foundation's trimming costs more than everything else about an event (PERF-4).
    package static func isPlain(_ raw: String, maximumLength: Int) -> Bool {
        let bytes = raw.utf8
        guard let first = bytes.first, let last = bytes.last, first > 0x20, last > 0x20 else { return false }
        return bytes.count <= min(maximumLength, maximumBytes) && bytes.allSatisfy { (0x20...0x7e).contains($0) }
    }

    /// Rejects the null character. Databases truncate a text at its first null character, or reject it: `anna` and
    /// `anna\0x` would be equal.
    public static func refuseNull(in text: String, _ what: String) throws(ValueError) {
        guard !text.utf8.contains(0) else {
            throw ValueError(code: "invalidCharacter", message: "\(what) cannot contain the null character.")
        }
    }
}
