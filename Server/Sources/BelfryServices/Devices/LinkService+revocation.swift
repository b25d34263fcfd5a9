import BelfryStore
import Foundation

/// Ends installations by an operator's word (WIRE-20, SEC-10).
///
/// Anybody who knows an id makes installations under it, any number of them, and may say megabytes by each (SEC-2). So
/// those under one id are ended in steps, between which other writes have their turn.
extension LinkService {
    /// Installations that one transaction ends at most.
    package static let revokedAtOnce = 20

    /// Ends whatever shows a device to be itself: its tokens, its state, its references and its link (WIRE-20, SEC-10),
    /// also for when it has been linked again. It is told to register anew with its next call, and is a new
    /// installation from then on; until it has linked it gets no push. All installations under the id are revoked, the one
    /// that the id shows first; repeated, a call that was broken off ends those that it had left.
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

    /// Ends the first of some installations, one at least.
    ///
    /// - Returns: how many of them are done with; one that is gone is.
    private static func end(
        _ numbers: ArraySlice<Int64>, at now: Date, within time: StepTime, in connection: any SQLConnection
    ) throws -> Int {
        var count = 0
        for number in numbers {
            // None behind it is taken, whatever the clock says by then: the next step begins where this one ends.
            guard count == 0 || !time.isOver else { break }
            if let device = try connection.devices.findAnywhere(id: number) {
                try NewInstallation(connection: connection, now: now).end(device)
            }
            count += 1
        }
        return count
    }

    /// The same for one installation alone, by its number: others with its id may be other people's (WIRE-20). A person
    /// has it at this moment; another's is not found.
    package func revoke(installation number: Int64, of person: PersonReference, app: AppRecord) async throws {
        let now = environment.now()
        try await database.write { connection in
            let lookup = AppLookup(connection: connection, app: app.id)
            let (contact, device) = try (lookup.person(person), lookup.installation(number))
            guard device.contact == contact.id else {
                throw ServiceError.notFound(what: "device of this person", id: String(number))
            }
            try NewInstallation(connection: connection, now: now).end(device)
        }
    }
}
