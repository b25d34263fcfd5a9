import BelfryModel
import Foundation

/// A registration as it was received, with the few fields that its receipt needs.
package struct IncomingSnapshot: Hashable, Sendable {
    /// The highest whole number up to which JSON numbers are exact.
    package static let maximumRevision: Int64 = (1 << 53) - 1

    package let registrationID: String
    package let revision: Int64
    /// The whole snapshot as JSON text.
    package let text: String

    /// - Parameter text: JSON that can be read as a snapshot. It is read when it is processed.
    package init(
        deviceID: String, registrationID: String, revision: Int64, text: String, caller: AuthenticatedCaller
    ) throws(ServiceError) {
        guard (try? DeviceID(deviceID)) == caller.client else {
            throw .invalid("deviceId", "mismatch", "deviceId must equal X-Client-Id.")
        }
        guard DeviceID.isUUID(registrationID) else {
            throw .invalid("registrationId", "invalidId", "registrationId is a UUID.")
        }
        guard (1...Self.maximumRevision).contains(revision) else {
            throw .invalid("revision", "outOfRange", "revision is a whole number from 1 to 2^53 - 1.")
        }
        self.registrationID = registrationID
        self.revision = revision
        self.text = text
    }

    /// The first status of its receipt. A revision that is not higher than the known one is not applied: the device may
    /// have been restored from a backup, and must continue above it (REG-21).
    func status(above known: Int64) -> ReceiptStatus {
        revision > known ? .received : .superseded
    }

    init(_ snapshot: RegistrationSnapshot, text: String, caller: AuthenticatedCaller) throws(ServiceError) {
        try self.init(
            deviceID: snapshot.deviceId, registrationID: snapshot.registrationId, revision: snapshot.revision,
            text: text, caller: caller
        )
    }
}
