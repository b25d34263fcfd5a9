/// The value that names a contact to the app's owner: trimmed, never blank, at most 255 characters, in Unicode's
/// composed form (REG-9).
public struct ContactKey: Hashable, Sendable {
    public static let maximumLength = 255
    /// Keys of this form are the server's own, for contacts that nobody has named.
    public static let anonymousPrefix = "anonymous:"

    public let rawValue: String

    public init(_ raw: String) throws(ValueError) {
        rawValue = try NamingRule.parseComposed(raw, "A contact key", maximumLength: Self.maximumLength)
        guard !rawValue.utf8.starts(with: Self.anonymousPrefix.utf8) else {
            throw ValueError(
                code: "reservedPrefix", message: "A contact key cannot begin with '\(Self.anonymousPrefix)'."
            )
        }
    }
}

extension ContactKey: CustomStringConvertible {
    public var description: String { rawValue }
}
