import BelfryModel

/// The state of a registration that was taken in, and the highest revision that the server knows of this device (REG-21).
package struct SnapshotReceipt: Hashable, Sendable {
    package let registrationID: String
    package let revision: Int64
    package let status: ReceiptStatus
    package let rejected: [RejectedField]
    /// What the device is told beside it of the newest registration that was processed (REG-25).
    package var newest: RegistrationResult?
}
