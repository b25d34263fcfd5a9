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
