/// A single word of a service's response. Only that is kept and shown, because the rest may contain anything.
enum ReasonWord {
    /// The maximum length in characters.
    static let maximumLength = 64

    /// The word; nil if it is too long, or has characters other than letters, digits and underscores.
    static func checked(_ text: String?) -> String? {
        guard let text, (1...maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") })
        else { return nil }
        return text
    }
}
