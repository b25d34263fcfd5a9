/// The reason why a value was rejected, for its sender: what was wrong and what is allowed.
///
/// `code` is stable and in camel case (`blank`, `reservedWord`, `undefinedAttribute`); `message` is for people.
public struct ValueError: Error, Hashable, Sendable, Codable {
    public let code: String
    public let message: String

    public init(code: String, message: String) {
        self.code = code
        self.message = message
    }
}

extension ValueError: CustomStringConvertible {
    public var description: String { message }
}
