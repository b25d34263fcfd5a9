import BelfryModel

/// Texts as a page shows them: long ones are cut, by code points. Exports have them whole.
enum ShownText {
    /// Code points of a person's value on a page.
    static let maximumLength = 300

    static func text(_ text: String, atMost length: Int = maximumLength) -> String {
        guard text.utf8.count > length, text.unicodeScalars.count > length else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(length))) + "…"
    }

    static func value(_ value: AttributeValue) -> String {
        text(value.textRead)
    }
}
