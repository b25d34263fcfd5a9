extension String {
    /// Whether a person would see nothing of it: it is empty, or white space and no more.
    public var showsNothing: Bool {
        // A campaign asks for each recipient, and nearly every text begins with a visible letter of ASCII.
        if let first = utf8.first, (0x21...0x7e).contains(first) { return false }
        return allSatisfy(\.isWhitespace)
    }
}
