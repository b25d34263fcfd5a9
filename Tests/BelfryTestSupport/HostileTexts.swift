/// Texts that a reader of short words may stumble over: the words themselves, and each with what hides between letters.
package enum HostileTexts {
    /// What joins itself to its neighbour, is a digit or a blank elsewhere, or ends a text early.
    package static let insertions = [
        "\u{600}", "\u{301}", "\u{200d}", "\u{fe0f}", "\u{660}", "\u{ff10}", "\u{1d7d8}", "\u{0}", "\u{7f}", "\u{2028}",
        "\u{e9}", "\u{feff}", "\u{202e}", "Z", "z", "a", ":", ".", "/", "+", "-", "%", "\\", "\"", " ", "\n", "9",
    ]

    /// Each text with each insertion at each place between its characters, and in the place of each of them.
    package static func around(_ texts: [String]) -> [String] {
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
    package static func all(of alphabet: String, upTo length: Int) -> [String] {
        var texts: [String] = []
        var former = [""]
        for _ in 0..<length {
            former = former.flatMap { text in alphabet.unicodeScalars.map { text + String($0) } }
            texts += former
        }
        return texts
    }
}
