import BelfryModel

/// The response to a registration: it is stored and will be processed (REG-20).
public struct RegistrationResponse: Hashable, Sendable, Codable {
    public var registrationId: String
    /// The highest revision that the server knows of this device; the device continues above it (REG-21).
    public var revision: Int64
    /// `superseded` where this one is not above what the server knew before; then it is not applied (REG-21).
    public var status: ReceiptStatus
    /// The newest registration that was processed so far, an earlier one than this (REG-25); absent: none.
    public var registration: RegistrationResult?

    public init(
        registrationId: String, revision: Int64, status: ReceiptStatus, registration: RegistrationResult? = nil
    ) {
        self.registrationId = registrationId
        self.revision = revision
        self.status = status
        self.registration = registration
    }
}

/// `GET /client/registration/{registrationId}` (WIRE-8).
public struct RegistrationReceipt: Hashable, Sendable, Codable {
    public var registrationId: String
    public var revision: Int64
    public var status: ReceiptStatus
    public var rejected: [RejectedField]

    public init(registrationId: String, revision: Int64, status: ReceiptStatus, rejected: [RejectedField]) {
        self.registrationId = registrationId
        self.revision = revision
        self.status = status
        self.rejected = rejected
    }
}
