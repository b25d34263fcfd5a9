/// The party identifier by which contacts are searched (ID-9).
package struct PartySearch: Hashable, Sendable {
    package let number: String
    /// The type. Nil: any.
    package let type: String?
    package let name: String?

    package init(number: String, type: String? = nil, name: String? = nil) {
        self.number = number
        self.type = type
        self.name = name
    }
}
