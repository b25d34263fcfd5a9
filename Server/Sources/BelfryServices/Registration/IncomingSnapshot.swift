import BelfryModel
import Foundation

/// A registration as it came, and the little that its receipt needs to know of it.
package struct IncomingSnapshot: Hashable, Sendable {
    /// The highest whole number that JSON's numbers hold without a gap below it.
    package static let maximumRevision: Int64 = (1 << 53) - 1

    package let registrationID: String
    package let revision: Int64
    /// The whole snapshot as JSON text.
    package let text: String

    /// - Parameter text: JSON that reads as a snapshot; it is read when it is processed.
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

    /// What its device is told of it at first. A revision that the server knows already, or that is below, is not applied:
    /// the device may come from a back-up, and must go on above (REG-21).
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
