/// Texts of people within sentences. A name with right-to-left letters, or with signs that turn the direction, must not
/// move the words around it: it stands between two signs that isolate it (UAX #9, FSI and PDI).
extension String {
    /// For a sentence; the text itself where nothing in it turns the direction.
    var isolated: String {
        // Letters that run from right to left, and the signs, begin with these bytes or higher ones.
        guard utf8.contains(where: { $0 >= 0xD6 }), unicodeScalars.contains(where: \.turnsDirection) else {
            return self
        }
        var text = String.UnicodeScalarView()
        text.append(Self.firstStrongIsolate)
        var open = 0
        for scalar in unicodeScalars {
            if scalar == Self.popIsolate {
                // One too many would end the isolation.
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
    /// Whether it runs from right to left, or changes the direction of what follows.
    fileprivate var turnsDirection: Bool {
        switch value {
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
        case 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
