/// By which party identifier contacts are looked for (ID-9).
package struct PartySearch: Hashable, Sendable {
    package let number: String
    /// Nil: whatever it is.
    package let type: String?
    package let name: String?

    package init(number: String, type: String? = nil, name: String? = nil) {
        self.number = number
        self.type = type
        self.name = name
    }
}
