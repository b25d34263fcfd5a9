/// Which of a content's variants a device gets (CAMP-6).
package enum LocaleMatch {
    /// The key that fits a locale best; nil for the content itself. Whoever asks often keeps a ``LocaleTable``.
    package static func best(of keys: some Collection<String>, for locale: String?) -> String? {
        keys.isEmpty ? nil : LocaleTable(keys).best(for: locale)
    }

    /// The one spelling of a locale: `zh_Hant_TW` as `zh-hant-tw`.
    package static func canonical(_ locale: String) -> String {
        parts(locale).joined(separator: "-")
    }

    /// Whether a text has the form of a locale (BCP 47, also with `_`): a language of letters, then parts of letters
    /// and digits.
    package static func isLocale(_ text: String) -> Bool {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        guard text.utf8.count <= 35, let language = parts.first, (2...8).contains(language.utf8.count),
            language.allSatisfy({ $0.isASCII && $0.isLetter })
        else { return false }
        return parts.dropFirst().allSatisfy { part in
            (2...8).contains(part.utf8.count) && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
    }

    /// In lower case, without what follows `@` or `.` (POSIX) or a part of one letter (BCP 47's extensions).
    fileprivate static func parts(_ locale: String) -> [Substring] {
        let text = locale.prefix { $0 != "@" && $0 != "." }.lowercased()
        let parts = text.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
        return Array(parts.prefix { $0.count != 1 })
    }
}

/// The variants' keys, prepared once: then a locale costs a few look-ups.
package struct LocaleTable: Hashable, Sendable {
    private let keys: [String: String]

    package init(_ keys: some Collection<String>) {
        // Sorted, so that of two spellings of one locale always the same is taken.
        self.keys = Dictionary(keys.sorted().map { (LocaleMatch.canonical($0), $0) }) { first, _ in first }
    }

    /// The key that fits a locale best: the same, else that of its language and script, else that of its language; nil
    /// for the content itself. Case, and `-` or `_`, do not count, nor do extensions.
    package func best(for locale: String?) -> String? {
        guard let locale, !keys.isEmpty else { return nil }
        let parts = LocaleMatch.parts(locale)
        guard let language = parts.first, !language.isEmpty else { return nil }
        if let key = keys[parts.joined(separator: "-")] { return key }
        if let script = Self.script(of: parts) {
            // The region of a locale whose script is that of the region: `zh-TW` for `zh-Hant-TW`.
            if let key = keys[parts.filter { $0 != script }.joined(separator: "-")] { return key }
            if let key = keys["\(language)-\(script)"] { return key }
        }
        return keys[String(language)]
    }

    /// Said, or the one in which the region writes the language.
    private static func script(of parts: [Substring]) -> String? {
        if let said = parts.dropFirst().first(where: { $0.count == 4 && $0.allSatisfy(\.isLetter) }) {
            return String(said)
        }
        guard parts.first == "zh" else { return nil }
        return switch parts.dropFirst().last {
        case "tw", "hk", "mo": "hant"
        case "cn", "sg", "my": "hans"
        default: nil
        }
    }
}
