extension String {
    /// Whether the text is invisible: empty, or only white space.
    public var showsNothing: Bool {
        // A campaign checks this for each recipient, and nearly every text begins with a visible ASCII letter.
        if let first = utf8.first, (0x21...0x7e).contains(first) { return false }
        return allSatisfy(\.isWhitespace)
    }
}
