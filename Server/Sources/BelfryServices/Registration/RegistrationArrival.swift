import BelfryModel
import BelfryStore
import Foundation

/// A registration that was scanned but not decoded, and is to be stored.
struct RegistrationArrival: Sendable {
    let incoming: IncomingSnapshot
    let caller: AuthenticatedCaller
    let now: Date

    /// The result of storing it.
    struct Stored: Sendable {
        let link: DeviceLink
        let receipt: SnapshotReceipt
    }

    /// Stores several registrations with the statements of one (FLEET-4). An id that is stored already makes its call
    /// fail.
    static func store(
        _ arrivals: [RegistrationArrival], in connection: any SQLConnection
    ) throws -> [Result<Stored, any Error>] {
        let lookup = CallerLookup(connection: connection)
        let found = try lookup.awake(arrivals.map(\.caller)) { try connection.devices.registeringLinks(ids: $0) }
        let links = zip(arrivals, found).map { arrival, found in
            Result { try lookup.confirmed(found?.link, of: arrival.caller) }
        }
        let known = links.compactMap { try? $0.get() }
        var isNew = try connection.registrations.insert(
            zip(arrivals, links).compactMap { arrival, link in (try? link.get()).map { arrival.row(of: $0) } }
        )[...]
        let newest = try connection.registrations.results(for: known)
        // The highest revision of each device: one device may have sent several of these registrations.
        var highest: [Int64: Int64] = [:]
        return zip(zip(arrivals, links), found).map { pair, found in
            let (arrival, link) = pair
            return Result {
                let link = try link.get()
                guard isNew.popFirst() == true else {
                    throw ServiceError.conflict(message: "There is already a registration with this id.")
                }
                let before = max(link.revision, found?.highestRevision ?? 0, highest[link.id] ?? 0)
                let revision = max(before, arrival.incoming.revision)
                highest[link.id] = revision
                return Stored(
                    link: link,
                    receipt: SnapshotReceipt(
                        registrationID: arrival.incoming.registrationID, revision: revision,
                        status: arrival.incoming.status(above: before), rejected: [], newest: newest[link.id]
                    )
                )
            }
        }
    }

    private func row(of link: DeviceLink) -> NewRegistration {
        NewRegistration(
            incoming.registrationID, revision: incoming.revision, snapshot: incoming.text, device: link.id,
            order: caller.propertyOrder, now: now
        )
    }
}

/// The status of a received registration, and the highest revision that the server knows of this device (REG-21).
package struct SnapshotReceipt: Hashable, Sendable {
    package let registrationID: String
    package let revision: Int64
    package let status: ReceiptStatus
    package let rejected: [RejectedField]
    /// The result of the newest registration of the device that was processed (REG-25).
    package var newest: RegistrationResult?
}
