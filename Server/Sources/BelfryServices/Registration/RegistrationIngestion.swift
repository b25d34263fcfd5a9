import BelfryCampaigns
import BelfryModel
import BelfryStore
import Foundation

/// Accepts registrations: they are stored durably, acknowledged, and processed later (REG-20).
package struct RegistrationIngestion: Sendable {
    /// The response to a registration.
    package typealias Receipt = SnapshotReceipt

    let database: any SQLDatabase
    let keys: ServerKeys
    let environment: ServerEnvironment
    /// Tells the processor that registrations wait.
    let received: AsyncSignal
    /// Registrations that wait at the same time are stored together.
    private let arrivals = JointCall(isInTurn: true, isOfDevices: true) {
        try RegistrationArrival.store($0, in: $1)
    }

    package init(database: any SQLDatabase, keys: ServerKeys, environment: ServerEnvironment, received: AsyncSignal) {
        self.database = database
        self.keys = keys
        self.environment = environment
        self.received = received
    }

    package func receive(
        _ snapshot: RegistrationSnapshot, caller: AuthenticatedCaller
    ) async throws -> DeviceCallResult<Receipt> {
        let text = try JSONText.encode(snapshot)
        let incoming = try IncomingSnapshot(snapshot, text: text, caller: caller)
        let response = try await database.write { [keys, environment] connection in
            let link = try CallerLookup(connection: connection).link(of: caller)
            let known = max(link.revision, try connection.registrations.highestRevision(device: link.id))
            let isNew = try connection.registrations.insert(incoming, link: link, caller, now: environment.now())
            let stored = isNew ? nil : try connection.registrations.repeated(snapshot, device: link.id)
            let receipt = Receipt(
                registrationID: snapshot.registrationId, revision: max(known, incoming.revision),
                status: stored?.status ?? incoming.status(above: known), rejected: stored?.rejected ?? [],
                newest: try connection.registrations.result(for: link)
            )
            return DeviceCallResult(value: receipt, clientState: keys.state(of: link, client: caller.client))
        }
        received.announce()
        return response
    }

    /// Accepts a registration that was scanned but not decoded, without making the caller wait: `completion` is called
    /// after the commit. An id that is stored already makes the call fail; then call `receive`.
    ///
    /// - Parameter deliver: hands the result from the writer's thread to the one that makes the response and calls
    ///   `completion`.
    package func receive(
        _ incoming: IncomingSnapshot, caller: AuthenticatedCaller,
        completion: @escaping @Sendable (Result<DeviceCallResult<Receipt>, any Error>) -> Void,
        deliver: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void = { $0() }
    ) {
        let arrival = RegistrationArrival(incoming: incoming, caller: caller, now: environment.now())
        database.write(arrival, of: arrivals, turn: .next) { [keys, received] result in
            received.announce()
            deliver {
                completion(
                    result.map { stored in
                        DeviceCallResult(
                            value: stored.receipt, clientState: keys.state(of: stored.link, client: caller.client)
                        )
                    }
                )
            }
        }
    }

    /// The status of one registration of the same device (WIRE-8).
    package func receipt(_ registrationID: String, caller: AuthenticatedCaller) async throws -> DeviceCallResult<
        Receipt
    > {
        try await database.write { [keys] connection in
            let device = try CallerLookup(connection: connection).device(of: caller)
            guard let row = try connection.registrations.find(device: device.id, registrationID: registrationID)
            else { throw ServiceError.notFound(what: "registration", id: registrationID) }
            return DeviceCallResult(
                value: Receipt(
                    registrationID: row.registrationID, revision: row.revision, status: row.status,
                    rejected: row.rejected
                ),
                clientState: keys.state(of: device)
            )
        }
    }
}

extension RegistrationRepository {
    /// The result of the device's newest registration that was processed (REG-25). Nil before the first.
    func result(for link: DeviceLink) throws -> RegistrationResult? {
        try results(for: [link])[link.id]
    }

    /// The results of several devices' newest processed registrations, by the devices' numbers.
    func results(for links: [DeviceLink]) throws -> [Int64: RegistrationResult] {
        let ids = links.filter { $0.revision > 0 }.map(\.id)
        guard !ids.isEmpty else { return [:] }
        return try zip(ids, newestProcessed(of: ids)).reduce(into: [:]) { results, found in
            results[found.0] = found.1.map { RegistrationResult(revision: $0.revision, rejected: $0.rejected) }
        }
    }

    fileprivate func insert(
        _ incoming: IncomingSnapshot, link: DeviceLink, _ caller: AuthenticatedCaller, now: Date
    ) throws -> Bool {
        try insert(
            incoming.registrationID, revision: incoming.revision, snapshot: incoming.text, device: link.id,
            order: caller.propertyOrder, now: now
        )
    }

    /// The stored registration with this id. Throws if its content differs: an id must not be used twice (WIRE-25).
    fileprivate func repeated(_ snapshot: RegistrationSnapshot, device: Int64) throws -> RegistrationRow? {
        guard let row = try find(device: device, registrationID: snapshot.registrationId) else { return nil }
        var stored = try? JSONText.decode(RegistrationSnapshot.self, row.snapshot)
        // The device is the same, so the spelling of its id does not matter.
        stored?.deviceId = snapshot.deviceId
        guard stored == nil || stored == snapshot else {
            throw ServiceError.conflict(
                code: "registrationIdReused",
                message: "This registrationId was already used for another snapshot. Use a new id for each snapshot."
            )
        }
        return row
    }
}
