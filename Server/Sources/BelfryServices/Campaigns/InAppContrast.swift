import BelfryModel
import Foundation

/// The contrast between a text and its background (WCAG 2.2, success criterion 1.4.3; IAM-14).
package enum InAppContrast {
    /// The minimum ratio for text of ordinary size (level AA).
    package static let minimum = 4.5

    /// The contrast ratio, from 1 (invisible) to 21 (black on white); nil if one of the two is not a colour.
    ///
    /// - Parameter text: `#RRGGBB`, like the background.
    package static func ratio(_ text: String, _ background: String) -> Double? {
        guard let text = InAppColor(text), let background = InAppColor(background) else { return nil }
        let (first, second) = (text.luminance, background.luminance)
        return (max(first, second) + 0.05) / (min(first, second) + 0.05)
    }
}

/// A colour in a message: `#RRGGBB`.
package struct InAppColor: Hashable, Sendable {
    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8

    /// Parses `#RRGGBB`; nil for every other notation.
    package init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count == 7, digits[0] == UInt8(ascii: "#") else { return nil }
        func byte(_ index: Int) -> UInt8? {
            let (high, low) = (digits[index], digits[index + 1])
            guard high.isHexDigit, low.isHexDigit else { return nil }
            return high.hexDigitValue << 4 | low.hexDigitValue
        }
        guard let red = byte(1), let green = byte(3), let blue = byte(5) else { return nil }
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// The relative luminance from 0 to 1 (WCAG).
    var luminance: Double {
        0.2126 * Self.linear(red) + 0.7152 * Self.linear(green) + 0.0722 * Self.linear(blue)
    }

    private static func linear(_ byte: UInt8) -> Double {
        let part = Double(byte) / 255
        return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
}
