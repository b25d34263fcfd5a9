/// Selects the variant of a content for a device (CAMP-6).
package enum LocaleMatch {
    /// The key that fits a locale best. Nil for the content itself. Code that asks often should use a ``LocaleTable``.
    package static func best(of keys: some Collection<String>, for locale: String?) -> String? {
        keys.isEmpty ? nil : LocaleTable(keys).best(for: locale)
    }

    /// The canonical spelling of a locale: `zh-hant-tw` for `zh_Hant_TW`.
    package static func canonical(_ locale: String) -> String {
        parts(locale).joined(separator: "-")
    }

    /// Whether a text has the form of a locale (BCP 47, also with `_`): a language of letters, then parts of letters
    /// and digits.
    package static func isLocale(_ text: String) -> Bool {
        let parts = parted(text)
        guard text.utf8.count <= 35, let language = parts.first, (2...8).contains(language.utf8.count),
            language.allSatisfy({ $0.isASCII && $0.isLetter })
        else { return false }
        return parts.dropFirst().allSatisfy { part in
            (2...8).contains(part.utf8.count) && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        }
    }

    /// The parts in lower case, without anything after `@` or `.` (POSIX) or a part of one letter (BCP 47's
    /// extensions).
    fileprivate static func parts(_ locale: String) -> [Substring] {
        let text = locale.utf8.prefix { $0 != UInt8(ascii: "@") && $0 != UInt8(ascii: ".") }
        return Array(parted(Substring(text).lowercased()).prefix { $0.count != 1 })
    }

    /// By bytes: a separator counts, whatever mark follows it (SEC-7).
    private static func parted(_ text: String) -> [Substring] {
        text.utf8.split(omittingEmptySubsequences: false) { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
            .map { Substring($0) }
    }
}

/// The variants' keys, prepared once, so that a locale costs a few lookups.
package struct LocaleTable: Hashable, Sendable {
    private let keys: [String: String]

    package init(_ keys: some Collection<String>) {
        // Sorted, so that of two spellings of one locale always the same one is used.
        self.keys = Dictionary(keys.sorted().map { (LocaleMatch.canonical($0), $0) }) { first, _ in first }
    }

    /// The key that fits a locale best: the same locale, otherwise its language and script, otherwise its language. Nil
    /// for the content itself. Case, `-` or `_`, and extensions do not matter.
    package func best(for locale: String?) -> String? {
        guard let locale, !keys.isEmpty else { return nil }
        let parts = LocaleMatch.parts(locale)
        guard let language = parts.first, !language.isEmpty else { return nil }
        if let key = keys[parts.joined(separator: "-")] { return key }
        if let script = Self.script(of: parts) {
            // The locale without its script, if that is the region's usual one: `zh-TW` for `zh-Hant-TW`.
            if let key = keys[parts.filter { $0 != script }.joined(separator: "-")] { return key }
            if let key = keys["\(language)-\(script)"] { return key }
        }
        return keys[String(language)]
    }

    /// The script of the locale, or the one that its region uses for the language.
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
