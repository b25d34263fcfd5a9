/// The app's own id for a contact: trimmed, never blank, at most 255 characters, in Unicode's composed form (REG-9).
public struct ContactKey: Hashable, Sendable {
    public static let maximumLength = 255
    /// The prefix of keys that the server creates for contacts without a key.
    public static let anonymousPrefix = "anonymous:"
    /// The prefix of keys that the server creates for contacts that are named by a field other than the app's own, or
    /// by a party identifier: each is a name space of its own (ID-3, ID-9).
    public static let fieldPrefix = "field:"
    public static let partyPrefix = "party:"
    public static let reservedPrefixes = [anonymousPrefix, fieldPrefix, partyPrefix]

    public let rawValue: String

    public init(_ raw: String) throws(ValueError) {
        rawValue = try NamingRule.parseComposed(raw, "A contact key", maximumLength: Self.maximumLength)
        for prefix in Self.reservedPrefixes where rawValue.utf8.starts(with: prefix.utf8) {
            throw ValueError(code: "reservedPrefix", message: "A contact key cannot begin with '\(prefix)'.")
        }
    }
}

extension ContactKey: CustomStringConvertible {
    public var description: String { rawValue }
}
