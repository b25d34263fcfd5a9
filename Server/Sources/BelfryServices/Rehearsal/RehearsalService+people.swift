import BelfryServerModel
import BelfryStore
import Foundation

/// A device behind a figure of a rehearsal.
package struct RehearsedPerson: Hashable, Sendable {
    package let device: String
    package let number: Int64
    /// The device's present contact; nil if it has no known contact.
    package let contact: Int64?
    package let outcome: RehearsedOutcome
    /// When the message would be sent, or the delivery would end.
    package let at: Date
}

/// A page of devices, in the order of their numbers.
package struct RehearsedPeople: Hashable, Sendable {
    package var people: [RehearsedPerson] = []
    /// The device number after which the list continues; nil at the end. A page with few devices or none may still have
    /// a successor.
    package var next: Int64?
}

/// Lists the people behind the figures of a rehearsal (CON-12).
extension RehearsalService {
    /// The most pages whose heads one call reads, and the most that it unpacks. Each page has up to a thousand devices,
    /// so a call searches a million devices and reads a hundred thousand, however many were rehearsed.
    static let headsAtOnce = 1_000
    static let unpackedAtOnce = 100

    /// Devices of a rehearsal, in the order of their numbers, without those that no longer exist.
    ///
    /// - Parameters:
    ///   - cursor: the number of the last device of the page before.
    ///   - heads: how many pages of the rehearsal are searched.
    package func people(
        in rehearsal: Rehearsal, _ selection: RehearsedSelection = RehearsedSelection(), after cursor: Int64? = nil,
        limit: Int, heads: Int = headsAtOnce
    ) async throws -> RehearsedPeople {
        guard let figures = rehearsal.figures, let launch = rehearsal.launchAt,
            let filter = try selection.filter(of: figures, launch: launch)
        else { return RehearsedPeople() }
        let search = RehearsedSearch(
            rehearsal: rehearsal.id, outcomes: figures.outcomes.map(\.outcome), launch: launch, filter: filter,
            limit: limit
        )
        return try await database.read { connection in
            try search.page(after: cursor ?? 0, heads: heads, in: connection.rehearsals)
        }
    }
}

/// Searches the devices of one page.
private struct RehearsedSearch: Sendable {
    private static let firstHeads = 4

    let rehearsal: Int64
    let outcomes: [RehearsedOutcome]
    let launch: Date
    let filter: RehearsedFilter
    let limit: Int

    func page(after cursor: Int64, heads maximum: Int, in store: RehearsalRepository) throws -> RehearsedPeople {
        var found = RehearsedPeople()
        var last = cursor
        var (looked, unpacked) = (0, 0)
        // The first page of the rehearsal usually has enough.
        var atOnce = Self.firstHeads
        while looked < maximum {
            let wanted = min(atOnce, maximum - looked)
            let heads = try store.heads(of: rehearsal, after: last, having: filter, limit: wanted)
            for head in heads {
                if head.mayHave {
                    guard unpacked < RehearsalService.unpackedAtOnce else {
                        found.next = last
                        return found
                    }
                    unpacked += 1
                    let chosen = try store.devices(of: rehearsal, endingAt: head.lastDevice)
                        .filter { $0.device > last && filter.admits($0) }
                    guard try add(chosen, to: &found, in: store) else { return found }
                }
                last = head.lastDevice
            }
            guard heads.count == wanted else { return found }
            looked += heads.count
            atOnce *= 2
        }
        found.next = last
        return found
    }

    /// - Returns: false if the page is full and there are more devices.
    private func add(
        _ chosen: [RehearsedDevice], to found: inout RehearsedPeople, in store: RehearsalRepository
    ) throws -> Bool {
        var rest = chosen[...]
        while !rest.isEmpty {
            // One more than is shown, to know whether there is a next page.
            let next = rest.prefix(limit - found.people.count + 1)
            rest = rest.dropFirst(next.count)
            let clients = try store.clients(of: next.map(\.device))
            for entry in next {
                guard outcomes.indices.contains(entry.outcome), let client = clients[entry.device] else { continue }
                guard found.people.count < limit else {
                    found.next = found.people.last?.number
                    return false
                }
                found.people.append(
                    RehearsedPerson(
                        device: client.id, number: entry.device, contact: client.contact,
                        outcome: outcomes[entry.outcome], at: launch.addingTimeInterval(Double(entry.after))
                    )
                )
            }
        }
        return true
    }
}
