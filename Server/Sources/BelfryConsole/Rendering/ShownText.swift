import BelfryModel

/// Texts for pages. Long ones are cut by code points; exports have them in full.
enum ShownText {
    /// The number of code points that a page shows of a person's value.
    static let maximumLength = 300

    static func text(_ text: String, atMost length: Int = maximumLength) -> String {
        guard text.utf8.count > length, text.unicodeScalars.count > length else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(length))) + "…"
    }

    static func value(_ value: AttributeValue) -> String {
        text(value.textRead)
    }
}
