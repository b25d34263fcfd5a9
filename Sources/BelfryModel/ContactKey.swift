/// The value that names a contact to the app's owner: trimmed, never blank, at most 255 characters (REG-9).
public struct ContactKey: Hashable, Sendable {
    public static let maximumLength = 255

    public let rawValue: String

    public init(_ raw: String) throws(Refusal) {
        rawValue = try NamingRule.parse(raw, "A contact key", maximumLength: Self.maximumLength)
    }
}

extension ContactKey: CustomStringConvertible {
    public var description: String { rawValue }
}
