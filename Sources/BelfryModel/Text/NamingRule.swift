import Foundation

/// What every word that names something keeps to: trimmed, never blank, bounded, without the null character.
public enum NamingRule {
    /// Bytes of a name: a character may be as long as one likes, an index entry may not.
    public static let maximumBytes = 1_024

    /// Bytes of what may become a name: composed, U+0390 has two, and has up to seven before.
    private static let maximumRawBytes = 4 * maximumBytes

    /// - Parameters:
    ///   - what: the subject of the refusal: `A tag`.
    ///   - maximumLength: characters.
    package static func parse(_ raw: String, _ what: String, maximumLength: Int) throws(ValueError) -> String {
        if isPlain(raw, maximumLength: maximumLength) { return raw }
        try refuseLong(raw, what)
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

    /// The same in one spelling of "é": for Swift its two are equal, for a database they are not.
    package static func parseComposed(_ raw: String, _ what: String, maximumLength: Int) throws(ValueError) -> String {
        if isPlain(raw, maximumLength: maximumLength) { return raw }
        try refuseLong(raw, what)
        return try parse(composed(raw), what, maximumLength: maximumLength)
    }

    /// What somebody calls a thing by its name, in the spelling in which names are stored. What is too long to be a name is
    /// not composed (SEC-6): it stays as it is, and names nothing.
    public static func composed(_ raw: String) -> String {
        ComposedText.make(of: raw, within: maximumRawBytes) ?? raw
    }

    /// What is trimmed and composed is as long as a name can be that becomes shorter by it, and no longer.
    private static func refuseLong(_ raw: String, _ what: String) throws(ValueError) {
        guard raw.utf8.count <= maximumRawBytes else {
            throw ValueError(code: "tooLong", message: "\(what) has at most \(maximumBytes) bytes.")
        }
    }

    /// Whether it keeps to the rule as it stands, seen from its bytes: printable ASCII with no blank at its ends. Most
    /// names do, and Foundation's trimming costs more than all else about an event (PERF-4).
    package static func isPlain(_ raw: String, maximumLength: Int) -> Bool {
        let bytes = raw.utf8
        guard let first = bytes.first, let last = bytes.last, first > 0x20, last > 0x20 else { return false }
        return bytes.count <= min(maximumLength, maximumBytes) && bytes.allSatisfy { (0x20...0x7e).contains($0) }
    }

    /// Databases cut a text off at its first null character, or refuse it: `anna` and `anna\0x` would be one.
    public static func refuseNull(in text: String, _ what: String) throws(ValueError) {
        guard !text.utf8.contains(0) else {
            throw ValueError(code: "invalidCharacter", message: "\(what) cannot contain the null character.")
        }
    }
}
