/// Texts that a reader of short words may stumble over: the words themselves, and each with what hides between letters.
public enum HostileTexts {
    /// Characters that join their neighbor, are digits or spaces in other scripts, or end a text early.
    public static let insertions = [
        "\u{600}", "\u{301}", "\u{200d}", "\u{fe0f}", "\u{660}", "\u{ff10}", "\u{1d7d8}", "\u{0}", "\u{7f}", "\u{2028}",
        "\u{e9}", "\u{feff}", "\u{202e}", "Z", "z", "a", ":", ".", "/", "+", "-", "%", "\\", "\"", " ", "\n", "9",
    ]

    /// Each text with each insertion between its characters, and instead of each character.
    public static func around(_ texts: [String]) -> [String] {
        texts.flatMap { text in
            insertions.flatMap { insertion in
                (0...text.unicodeScalars.count).flatMap { place in
                    let front = String(String.UnicodeScalarView(text.unicodeScalars.prefix(place)))
                    let back = text.unicodeScalars.dropFirst(place)
                    return [
                        front + insertion + String(String.UnicodeScalarView(back)),
                        front + insertion + String(String.UnicodeScalarView(back.dropFirst())),
                    ]
                }
            }
        }
    }

    /// Every text of one up to so many letters.
    public static func all(of alphabet: String, upTo length: Int) -> [String] {
        var texts: [String] = []
        var former = [""]
        for _ in 0..<length {
            former = former.flatMap { text in alphabet.unicodeScalars.map { text + String($0) } }
            texts += former
        }
        return texts
    }
}
