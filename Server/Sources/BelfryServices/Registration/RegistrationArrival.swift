import BelfryModel
import BelfryStore
import Foundation

/// A registration that was only looked over, on its way into the store.
struct RegistrationArrival: Sendable {
    let incoming: IncomingSnapshot
    let caller: AuthenticatedCaller
    let now: Date

    /// What it came to.
    struct Stored: Sendable {
        let link: DeviceLink
        let receipt: SnapshotReceipt
    }

    /// Stores several with the statements of one (FLEET-4). A registration id that is there already fails.
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
        // A device may have sent several of these at once.
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

/// The state of a registration that was taken in, and the highest revision that the server knows of this device (REG-21).
package struct SnapshotReceipt: Hashable, Sendable {
    package let registrationID: String
    package let revision: Int64
    package let status: ReceiptStatus
    package let rejected: [RejectedField]
    /// What the device is told beside it of the newest registration that was processed (REG-25).
    package var newest: RegistrationResult?
}
