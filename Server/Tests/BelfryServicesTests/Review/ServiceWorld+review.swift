import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation

extension ServiceWorld {
    static let anna = Author.key("anna")
    static let bert = Author.key("bert")

    var versions: CampaignVersionService {
        CampaignVersionService(database: database, environment: environment, inAppWork: AsyncSignal())
    }
    var reviews: CampaignReviewService { CampaignReviewService(database: database, environment: environment) }

    /// Lets the app ask for approvals.
    func askForApprovals(_ asks: Bool = true) async throws {
        var change = AppSettingsChange()
        change.requiresApproval = .set(asks)
        _ = try await apps.changeSettings(change, of: app)
    }

    /// A rehearsal that is done, or stands otherwise.
    func rehearse(
        _ id: CampaignID, saying draft: CampaignDraft, status: RehearsalStatus = .done
    ) async throws -> Int64 {
        let (app, now, version) = (app.id, clock.now, try DraftVersion(draft).text)
        return try await database.write { connection in
            let number = try connection.rehearsals.insert(campaign: id, app: app, version: version, now: now)
            try connection.execute(
                "UPDATE rehearsals SET status = ?, ended_at = ? WHERE id = ?",
                [.text(status.rawValue), status.isOpen ? .null : .date(now), .integer(number)]
            )
            return number
        }
    }

    /// Rehearses and approves the newest version.
    func approve(_ id: CampaignID, by author: Author) async throws {
        guard let version = try await versions.list(of: id, app: app, before: nil, limit: 1).first else { return }
        let draft = try await versions.find(version.number, of: id, app: app).draft
        let rehearsal = try await rehearse(id, saying: draft)
        try await reviews.decide(
            .approved, version: version.number, rehearsal: rehearsal, reason: nil, on: id, by: author, app: app
        )
    }
}
