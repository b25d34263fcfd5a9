import BelfryModel

/// A placeholder in a content's text for a recipient's own text: two noncharacters around a number.
///
/// Noncharacters (Unicode 23.7) are never part of a real text, so code that writes a content as JSON can cut it there.
package enum TextPlaceholder {
    // Swift's literals cannot spell noncharacters.
    private static let openingScalar: UInt32 = 0xFDD0
    private static let closingScalar: UInt32 = 0xFDD1

    /// U+FDD0 in UTF-8, which begins a marker.
    package static let opening: [UInt8] = [0xEF, 0xB7, 0x90]
    /// U+FDD1 in UTF-8, which ends a marker.
    package static let closing: [UInt8] = [0xEF, 0xB7, 0x91]

    /// The placeholder of the text with this number: U+FDD0, the number in decimal, U+FDD1.
    package static func marker(_ index: Int) -> String {
        String(decoding: opening + Array(String(index).utf8) + closing, as: UTF8.self)
    }

    /// Whether a text contains either of the two characters. Content with them is rejected, because it could forge a
    /// placeholder.
    package static func isUsed(in text: String) -> Bool {
        text.unicodeScalars.contains { $0.value == openingScalar || $0.value == closingScalar }
    }
}
