extension String {
    /// The beginning of a text, at most this many bytes of UTF-8, cut between two Unicode scalars: a character may have
    /// any number of bytes.
    public func prefix(bytes maximum: Int) -> String {
        var rest = maximum
        let fitting = unicodeScalars.prefix { scalar in
            rest -= UTF8.width(scalar)
            return rest >= 0
        }
        return String(fitting)
    }
}
