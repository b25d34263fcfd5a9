/// The status of the processing of one registration (WIRE-8).
public enum ReceiptStatus: String, Hashable, Sendable, Codable, CaseIterable {
    case received
    case processed
    case partlyRejected
    case superseded
}

/// The result of a device's newest processed registration. It is part of responses that the device gets anyway, so the
/// app learns which values were rejected (REG-25).
public struct RegistrationResult: Hashable, Sendable, Codable {
    public let revision: Int64
    public let rejected: [RejectedField]

    public init(revision: Int64, rejected: [RejectedField]) {
        self.revision = revision
        self.rejected = rejected
    }
}

/// One field of a registration that was not applied, and the reason.
public struct RejectedField: Hashable, Sendable, Codable {
    /// The field's path: `attributes.shoe`.
    public let field: String
    public let reason: String
    public let message: String

    public init(field: String, reason: String, message: String) {
        self.field = field
        self.reason = reason
        self.message = message
    }
}
