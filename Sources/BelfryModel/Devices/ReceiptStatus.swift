/// Where the processing of one registration stands (WIRE-8).
public enum ReceiptStatus: String, Hashable, Sendable, Codable, CaseIterable {
    case received
    case processed
    case partlyRejected
    case superseded
}

/// One field of a registration that was not applied, and why.
public struct RejectedField: Hashable, Sendable, Codable {
    /// `attributes.shoe`
    public let field: String
    public let reason: String
    public let message: String

    public init(field: String, reason: String, message: String) {
        self.field = field
        self.reason = reason
        self.message = message
    }
}
