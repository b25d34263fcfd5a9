/// A type whose JSON has a schema with a name (WIRE-28): each key with its type, its limits and what it says, beside the
/// type or, of those that apps compile too, here. The closed keys of bodies are checked by it (ADM-3).
protocol Described: SendableMetatype {
    /// Unique in the description.
    static var schemaName: String { get }
    static var schema: JSONSchema { get }
}

extension Described {
    static var schemaName: String { "\(Self.self)" }
}

/// In the place of a body, or of an answer's, that there is not.
package struct NoBody: Hashable, Sendable, Codable {
    package init() {}
}

extension NoBody: Described {
    static let schema: JSONSchema = .anyObject
}
