import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Exports what happened to the person's devices: when they came and left, what they registered, and what was rehearsed
/// for them.
extension ContactExport {
    func links(of source: Source, _ body: (Part) async throws -> Void) async throws {
        let person = contact.id
        try await pages(after: ContactLinkRepository.Position?.none) { position in
            let page = try await database.read {
                try $0.contactLinks.list(
                    ofDevice: source.id, person: person, after: position, limit: Self.recordsAtOnce
                )
            }
            try await body(.links(page.map { Link(client: source.client, link: $0) }))
            return (
                page.count == Self.recordsAtOnce, page.last.map { $0.position as ContactLinkRepository.Position? }
            )
        }
    }

    func registrations(of source: Source, _ body: (Part) async throws -> Void) async throws {
        let person = contact.id
        try await pages(after: (revision: Int64.min, id: Int64.min)) { position in
            let page = try await database.read {
                try $0.people.registrations(
                    of: source.id, person: person, withUnknown: source.isSole, after: position,
                    limit: Self.registrationsAtOnce
                )
            }
            try await body(.registrations(page.map { Registration(client: source.client, registration: $0) }))
            return (
                page.count == Self.registrationsAtOnce, page.last.map { (revision: $0.revision, id: $0.id) }
            )
        }
    }

    /// Exports rehearsals of the time in which the device was the person's.
    func rehearsals(of source: Source, _ body: (Part) async throws -> Void) async throws {
        let person = contact.id
        var last: Int64? = 0
        while let behind = last {
            let (found, next) = try await database.read { connection in
                let (found, next) = try connection.rehearsals.found(for: source.id, behind: behind)
                let rehearsed = try found.compactMap { entry in
                    try Self.rehearsed(entry.device, in: entry.rehearsal, source, person, connection)
                }
                return (rehearsed, next)
            }
            try await body(.rehearsals(found))
            last = next
        }
    }

    private static func rehearsed(
        _ device: RehearsedDevice, in number: Int64, _ source: Source, _ person: Int64,
        _ connection: any SQLConnection
    ) throws -> Rehearsed? {
        guard let row = try connection.rehearsals.find(number), let launch = row.launchAt,
            let figures = row.figures, figures.outcomes.indices.contains(device.outcome)
        else { return nil }
        let owned = source.device(of: person, connection)
        guard try owned.wasTheirs(at: row.startedAt ?? row.requestedAt) else { return nil }
        return Rehearsed(
            client: source.client, campaign: row.campaign, rehearsal: number,
            outcome: figures.outcomes[device.outcome].outcome,
            at: launch.addingTimeInterval(Double(device.after))
        )
    }
}
