/// The identity triple of a contact in a customer data platform: type, name and number.
public struct PartyIdentifier: Hashable, Sendable, Codable {
    /// Characters of each part.
    public static let maximumLength = 255

    public var type: String
    public var name: String
    public var number: String

    public init(type: String, name: String, number: String) {
        self.type = type
        self.name = name
        self.number = number
    }
}

extension PartyIdentifier {
    /// As it identifies a contact (ID-9): each part trimmed, in Unicode's composed form, and 1 to 255 characters long.
    /// Throws the reason why a part is refused.
    public func parsed() throws(ValueError) -> PartyIdentifier {
        PartyIdentifier(
            type: try Self.part(type, "The type"), name: try Self.part(name, "The name"),
            number: try Self.part(number, "The number")
        )
    }

    /// One part, likewise.
    ///
    /// - Parameter what: which one: `The number`.
    public static func part(_ raw: String, _ what: String) throws(ValueError) -> String {
        try NamingRule.parseComposed(raw, "\(what) of a party identifier", maximumLength: maximumLength)
    }
}
