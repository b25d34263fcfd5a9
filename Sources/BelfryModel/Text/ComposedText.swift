import Foundation

/// Text in Unicode's form NFC: for Swift the two spellings of "é" are equal, for a database they are not.
///
/// Foundation's composition mistakes a scalar above U+FFFF, and some of old Korean, for another one: from U+10041, a
/// letter of Linear B, and an accent it makes "Á". Then two names would become one (SEC-7). So its result is only used
/// if it is equal to the original, which Swift decides with its own tables.
///
/// Only texts of limited length are composed (SEC-6). Names are composed by ``NamingRule/composed(_:)``, within the
/// maximum bytes of a name.
public enum ComposedText {
    /// The composed text. A character that Foundation cannot compose is decomposed, or else stays as it is.
    ///
    /// - Parameter bytes: the maximum number of bytes of the original.
    /// - Returns: nil for a longer text, which is not read.
    public static func make(of text: String, within bytes: Int) -> String? {
        guard text.utf8.count <= bytes else { return nil }
        let composed = text.precomposedStringWithCanonicalMapping
        // No composition extends beyond the end of a character.
        return composed == text ? composed : text.map { spelled(String($0)) }.joined()
    }

    private static func spelled(_ character: String) -> String {
        let spellings = [
            character.precomposedStringWithCanonicalMapping, character.decomposedStringWithCanonicalMapping,
        ]
        return spellings.first { $0 == character } ?? character
    }
}
