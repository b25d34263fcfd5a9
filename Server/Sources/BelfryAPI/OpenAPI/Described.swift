/// A type whose JSON has a named schema (WIRE-28): each key with its type, limits and description. The schema is next
/// to the type or, for types that apps compile too, in this module. Bodies are checked for unknown keys with it
/// (ADM-3).
protocol Described: SendableMetatype {
    /// The schema's name, unique in the description.
    static var schemaName: String { get }
    static var schema: JSONSchema { get }
}

extension Described {
    static var schemaName: String { "\(Self.self)" }
}

/// The type of an absent body, in a request or a response.
package struct NoBody: Hashable, Sendable, Codable {
    package init() {}
}

extension NoBody: Described {
    static let schema: JSONSchema = .anyObject
}
