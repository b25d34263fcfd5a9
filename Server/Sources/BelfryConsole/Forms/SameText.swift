extension String {
    /// Whether it has the same bytes. To Swift `é` as one code point and as two is one text; to a script, an address or
    /// an audience it is two, so whoever types one for the other has changed something (CON-5).
    func isExactly(_ other: String) -> Bool {
        utf8.elementsEqual(other.utf8)
    }
}

extension [String: String] {
    /// Whether all values have the same bytes.
    func isExactly(_ other: [String: String]) -> Bool {
        count == other.count && allSatisfy { name, value in other[name]?.isExactly(value) ?? false }
    }
}
