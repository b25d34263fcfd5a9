/// A word on a contact, set by the app to group contacts: trimmed, never blank, at most 128 characters, in Unicode's
/// composed form (REG-11).
public struct Tag: Hashable, Sendable, Comparable {
    public static let maximumLength = 128

    public let rawValue: String

    public init(_ raw: String) throws(ValueError) {
        rawValue = try NamingRule.parseComposed(raw, "A tag", maximumLength: Self.maximumLength)
    }

    public static func < (left: Tag, right: Tag) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension Tag: CustomStringConvertible {
    public var description: String { rawValue }
}
