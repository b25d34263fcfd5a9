import BelfryModel
import BelfryRules
import BelfryStore
import Foundation

/// Takes registrations in: stored durably, answered, processed later (REG-20).
package struct RegistrationIntake: Sendable {
    package static let maximumRevision: Int64 = 1 << 53

    let database: any SQLDatabase
    let keys: ServerKeys
    let environment: ServerEnvironment
    /// Tells the processor that something waits.
    let received: WakeUp

    package init(database: any SQLDatabase, keys: ServerKeys, environment: ServerEnvironment, received: WakeUp) {
        self.database = database
        self.keys = keys
        self.environment = environment
        self.received = received
    }

    /// The receipt's state and the highest revision that the server knows of this device (REG-21).
    package struct Receipt: Hashable, Sendable {
        package let registrationID: String
        package let revision: Int64
        package let status: ReceiptStatus
        package let rejected: [RejectedField]
    }

    package func receive(
        _ snapshot: RegistrationSnapshot, caller: AuthenticatedCaller
    ) async throws -> Answered<Receipt> {
        try Self.check(snapshot, client: caller.client)
        let now = environment.now()
        let answer = try await database.write { [keys] connection in
            let device = try connection.device(of: caller)
            try connection.registrations.insert(
                device: device.id, snapshot: snapshot, requestOrder: caller.order.milliseconds, now: now
            )
            let highest = max(
                device.revision, try connection.registrations.highestRevision(device: device.id)
            )
            let stored = try connection.registrations.find(
                device: device.id, registrationID: snapshot.registrationId
            )
            return Answered(
                value: Receipt(
                    registrationID: snapshot.registrationId, revision: highest, status: stored?.status ?? .received,
                    rejected: stored?.rejected ?? []
                ),
                clientState: keys.state(of: device, trusted: true)
            )
        }
        received.signal()
        return answer
    }

    /// The state of one registration of the same device (WIRE-8).
    package func receipt(_ registrationID: String, caller: AuthenticatedCaller) async throws -> Answered<Receipt> {
        try await database.write { [keys] connection in
            let device = try connection.device(of: caller)
            guard let row = try connection.registrations.find(device: device.id, registrationID: registrationID)
            else { throw ServiceError.notFound(what: "registration", id: registrationID) }
            return Answered(
                value: Receipt(
                    registrationID: row.registrationID, revision: row.revision, status: row.status,
                    rejected: row.rejected
                ),
                clientState: keys.state(of: device, trusted: true)
            )
        }
    }

    private static func check(_ snapshot: RegistrationSnapshot, client: DeviceID) throws(ServiceError) {
        guard snapshot.deviceId == client.rawValue else {
            throw .invalid("deviceId", "mismatch", "deviceId must equal X-Client-Id.")
        }
        guard UUID(uuidString: snapshot.registrationId) != nil else {
            throw .invalid("registrationId", "invalidId", "registrationId is a UUID.")
        }
        guard (1...maximumRevision).contains(snapshot.revision) else {
            throw .invalid("revision", "outOfRange", "revision is a whole number from 1 to 2^53.")
        }
    }
}
