extension String {
    /// Whether both texts have the same bytes. Swift's `==` treats `é` as one code point and as two as the same text. A
    /// script, an address or an audience does not, so replacing one by the other is a change (CON-5).
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
