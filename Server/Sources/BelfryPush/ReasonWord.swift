/// The one word of a service's answer that is kept and shown; the rest never is, for it may hold anything.
enum ReasonWord {
    /// Characters.
    static let maximumLength = 64

    /// Nil for a longer one, and for one with other than letters, digits and underscores.
    static func checked(_ text: String?) -> String? {
        guard let text, (1...maximumLength).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "_") })
        else { return nil }
        return text
    }
}
