extension StringProtocol {
    /// The text as a terminal may show it: what devices and people wrote must not steer the operator's.
    var printable: String {
        guard unicodeScalars.contains(where: \.steersTerminals) else { return String(self) }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.steersTerminals {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
    }
}

extension Unicode.Scalar {
    /// Control characters, breaks of lines, and marks that turn the direction of what follows.
    fileprivate var steersTerminals: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: (0x202a...0x202e).contains(value) || (0x2066...0x2069).contains(value)
        }
    }
}
