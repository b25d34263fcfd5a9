import Foundation

/// Text in one spelling: for Swift the two of "é" are equal, for a database they are not (Unicode's form NFC).
///
/// Foundation's composition reads a scalar above U+FFFF, and some of old Korean, as another one: of U+10041, a letter of
/// Linear B, and an accent it makes "Á". Then two names would be one (SEC-7). So what it makes is taken only if it is equal
/// to what was there, which Swift decides by tables of its own.
///
/// Nothing is composed that was not measured (SEC-6). Names are composed by ``NamingRule/composed(_:)``, within the bytes
/// of a name.
public enum ComposedText {
    /// A character that Foundation cannot compose is decomposed, or else stays as it is.
    ///
    /// - Parameter bytes: how many the text may have as it comes.
    /// - Returns: nil for a text with more of them, which is not looked at.
    public static func make(of text: String, within bytes: Int) -> String? {
        guard text.utf8.count <= bytes else { return nil }
        let composed = text.precomposedStringWithCanonicalMapping
        // No composition reaches over the end of a character.
        return composed == text ? composed : text.map { spelled(String($0)) }.joined()
    }

    private static func spelled(_ character: String) -> String {
        let spellings = [
            character.precomposedStringWithCanonicalMapping, character.decomposedStringWithCanonicalMapping,
        ]
        return spellings.first { $0 == character } ?? character
    }
}
