import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

extension ServiceWorld {
    var rehearsals: RehearsalService {
        RehearsalService(database: database, environment: environment, work: AsyncSignal())
    }

    /// - Parameter owner: names the worker in leases.
    func rehearser(_ owner: String = "rehearser", over database: (any SQLDatabase)? = nil) -> RehearsalWorker {
        RehearsalWorker(
            owner: owner, previews: campaigns(over: database ?? self.database).previews, work: AsyncSignal(),
            logger: logger
        )
    }

    /// Rehearses a campaign to the end.
    func rehearse(_ id: CampaignID) async throws -> Rehearsal {
        let started = try await rehearsals.start(id, app: app)
        await rehearser().runUntilIdle()
        return try await rehearsals.find(started.id, of: id, app: app)
    }

    func draft(_ draft: CampaignDraft) async throws -> CampaignID {
        try await campaigns.drafts.create(draft, app: app).id
    }

    /// When the ledger's rows of a campaign were last changed, by device.
    func ends(of id: CampaignID) async throws -> [Int64: Date] {
        let rows = try await database.read { connection in
            try connection.query(
                "SELECT device_id, updated_at FROM deliveries WHERE campaign_id = ?", [.integer(id.number)]
            ) { ($0.integer(0), $0.date(1)) }
        }
        return Dictionary(rows) { first, _ in first }
    }
}

extension Rehearsal {
    /// Devices by outcome: `accepted`, `suppressed noToken`.
    var words: [String: Int] {
        Dictionary(
            (figures?.outcomes ?? []).filter { $0.count > 0 }.map { entry in
                (
                    ([entry.outcome.state.rawValue] + [entry.outcome.reason?.rawValue].compactMap(\.self))
                        .joined(separator: " "), entry.count
                )
            },
            uniquingKeysWith: +
        )
    }
}
