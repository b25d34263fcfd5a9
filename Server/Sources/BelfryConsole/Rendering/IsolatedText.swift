/// Names and other texts of people within sentences. Right-to-left letters or direction signs in such a text must not
/// move the words around it, so it is put between two isolating signs (UAX #9, FSI and PDI).
extension String {
    /// The text, isolated for a sentence; the text itself where nothing in it changes the direction.
    var isolated: String {
        // Right-to-left letters and direction signs begin with this byte or a higher one in UTF-8.
        guard utf8.contains(where: { $0 >= 0xD6 }), unicodeScalars.contains(where: \.turnsDirection) else {
            return self
        }
        var text = String.UnicodeScalarView()
        text.append(Self.firstStrongIsolate)
        var open = 0
        for scalar in unicodeScalars {
            if scalar == Self.popIsolate {
                // A closing sign without an opening one would end the isolation.
                guard open > 0 else { continue }
                open -= 1
            } else if (0x2066...0x2068).contains(scalar.value) {
                open += 1
            }
            text.append(scalar)
        }
        for _ in 0...open { text.append(Self.popIsolate) }
        return String(text)
    }

    private static let firstStrongIsolate: Unicode.Scalar = "\u{2068}"
    private static let popIsolate: Unicode.Scalar = "\u{2069}"
}

extension Unicode.Scalar {
    /// Whether the scalar runs from right to left, or changes the direction of the text after it.
    fileprivate var turnsDirection: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
