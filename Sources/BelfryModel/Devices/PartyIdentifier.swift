/// The identity triple of a contact in a customer data platform: type, name and number.
public struct PartyIdentifier: Hashable, Sendable, Codable {
    /// The maximum length of each part in characters.
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
    /// The form that identifies a contact (ID-9): each part is trimmed, in Unicode's composed form, and 1 to 255
    /// characters long. Throws the reason why a part is invalid.
    public func parsed() throws(ValueError) -> PartyIdentifier {
        PartyIdentifier(
            type: try Self.part(type, "The type"), name: try Self.part(name, "The name"),
            number: try Self.part(number, "The number")
        )
    }

    /// One part in the same form.
    ///
    /// - Parameter what: the name of the part for the error: `The number`.
    public static func part(_ raw: String, _ what: String) throws(ValueError) -> String {
        try NamingRule.parseComposed(raw, "\(what) of a party identifier", maximumLength: maximumLength)
    }
}
