/// The direction of a language and of a text (IAM-14).
enum WritingDirection {
    /// Languages in these scripts: Arabic, Hebrew, Syriac, Thaana, N'Ko, Adlam.
    private static let languages: Set<String> = [
        "ar", "arc", "ckb", "dv", "fa", "he", "iw", "ks", "nqo", "ps", "sd", "syr", "ug", "ur", "yi",
    ]
    private static let scripts: Set<String> = ["arab", "hebr", "syrc", "thaa", "nkoo", "adlm", "rohg"]

    /// - Parameter language: BCP 47; its script, if it names one, takes precedence over its language.
    static func isRightToLeft(language: String?) -> Bool {
        let parts = (language ?? "").lowercased().utf8
            .split { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }.map { String(Substring($0)) }
        if let script = parts.dropFirst().first(where: { $0.utf8.count == 4 && $0.allSatisfy(\.isLetter) }) {
            return scripts.contains(script)
        }
        return parts.first.map(languages.contains) ?? false
    }

    /// Whether a text runs from right to left, as most of its letters do. Nil when it has no letters.
    ///
    /// A browser considers only the first letter, which is wrong for an Arabic text that begins with a brand's name.
    static func isRightToLeft(_ text: String) -> Bool? {
        var (left, right) = (0, 0)
        for scalar in text.unicodeScalars where scalar.properties.isAlphabetic {
            if isRightToLeft(scalar) { right += 1 } else { left += 1 }
        }
        return left + right == 0 ? nil : right > left
    }

    /// The blocks of Unicode that run from right to left.
    private static func isRightToLeft(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        default: false
        }
    }
}
