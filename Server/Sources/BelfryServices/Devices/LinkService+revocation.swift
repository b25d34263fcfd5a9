import BelfryStore
import Foundation

/// Revokes installations when an operator asks for it (WIRE-20, SEC-10).
///
/// Anybody who knows an id can create any number of installations under it, and send megabytes with each (SEC-2). So
/// the installations under one id are ended in steps, between which other writes have their turn.
extension LinkService {
    /// The highest number of installations that one transaction ends.
    package static let revokedAtOnce = 20

    /// Ends all proofs of a device: its tokens, its state, its references and its link (WIRE-20, SEC-10), even if it
    /// has been linked again. Its next call is told to register again, and from then on it is a new installation. It
    /// gets no push until it has linked. All installations under the id are revoked, the one that the id shows first. A
    /// repeated call ends those that an interrupted call has left.
    @discardableResult
    package func revoke(_ id: String, app: AppRecord) async throws -> Int64 {
        let (shown, numbers) = try await database.read { connection in
            let shown = try AppLookup(connection: connection, app: app.id).device(id)
            return (shown.id, try connection.devices.numbers(app: app.id, client: shown.client))
        }
        let ordered = [shown] + numbers.filter { $0 != shown }
        var ended = 0
        while ended < ordered.count {
            let left = ordered[ended...].prefix(Self.revokedAtOnce)
            ended += try await database.write { [environment] connection in
                try Self.end(left, at: environment.now(), within: StepTime(environment), in: connection)
            }
        }
        return shown
    }

    /// Ends the first of some installations, at least one.
    ///
    /// - Returns: how many of them are done. An installation that no longer exists counts as done.
    private static func end(
        _ numbers: ArraySlice<Int64>, at now: Date, within time: StepTime, in connection: any SQLConnection
    ) throws -> Int {
        try connection.hold {
            try numbers.map { number -> Int64? in
                try (connection.devices.link(id: number) ?? connection.devices.link(id: number, in: .dormant))?.contact
            }
        }
        var count = 0
        for number in numbers {
            // No installation after this one is taken, even if the clock was set back: the next step begins where this
            // one ends.
            guard count == 0 || !time.isOver else { break }
            if let device = try connection.devices.findAnywhere(id: number) {
                try NewInstallation(connection: connection, now: now).end(device)
            }
            count += 1
        }
        return count
    }

    /// Revokes one installation alone, by its number: others with the same id may belong to other people (WIRE-20).
    /// Throws if the person does not have the installation at this moment.
    package func revoke(installation number: Int64, of person: PersonReference, app: AppRecord) async throws {
        let now = environment.now()
        try await database.write { connection in
            let lookup = AppLookup(connection: connection, app: app.id)
            let (contact, device) = try (lookup.person(person), lookup.installation(number))
            guard device.contact == contact.id else {
                throw ServiceError.notFound(what: "device of this person", id: String(number))
            }
            try connection.hold([contact.id])
            try NewInstallation(connection: connection, now: now).end(device)
        }
    }
}
