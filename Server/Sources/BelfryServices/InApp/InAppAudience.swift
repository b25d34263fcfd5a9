import BelfryModel
import BelfryStore
import Foundation

/// The app's in-app campaigns that go on, by what is known of a device and their audiences.
struct InAppCandidates: Sendable {
    /// Those that are the device's.
    var held: [CampaignRow] = []
    /// Those of which nobody can say.
    var unknown: Set<CampaignID> = []
    /// Those that have to be asked for.
    var open: Set<CampaignID> = []
}

/// Which in-app campaigns' audiences hold a device now (IAM-1), in one view of the store. An audience that asks for
/// events is asked for elsewhere, and known here by its verdict (``AudienceResults``).
struct InAppAudience {
    let connection: any SQLConnection
    let now: Date

    /// The app's in-app campaigns that go on and whose audience may hold the device now (IAM-1).
    ///
    /// - Parameters:
    ///   - active: the app's campaigns, as their clock has them.
    ///   - contact: the device's.
    func candidates(
        among active: ActiveInAppCampaigns, for device: Int64, contact: Int64?, app: Int64, clock: Int64,
        _ verdicts: AudienceResults
    ) throws -> InAppCandidates {
        let campaigns = active.rows.filter { $0.campaign.draft.inApp?.hasEnded(by: now) == false }
        var candidates = InAppCandidates()
        guard !campaigns.isEmpty else { return candidates }
        let sql = try AudienceCompiler(connection: connection, app: app).sql(now: now)
        for row in campaigns {
            switch try result(of: device, in: row, sql, { verdicts.verdict(on: $0, contact: contact, clock: clock) })
            {
            case .holds: candidates.held.append(row)
            case .excludes: break
            case .unknown: candidates.unknown.insert(row.id)
            case .open: candidates.open.insert(row.id)
            }
        }
        return candidates
    }

    /// Whether the audience of one campaign holds the device now.
    ///
    /// - Parameter verdict: what is known of an audience that asks for events.
    func verdict(
        on row: CampaignRow, device: Int64, _ verdict: (CampaignID) -> AudienceResults.Verdict
    ) throws -> AudienceResults.Verdict {
        let sql = try AudienceCompiler(connection: connection, app: row.app).sql(now: now)
        return try result(of: device, in: row, sql, verdict)
    }

    /// An audience that cannot be selected any more, for an attribute has another type than when it was saved, holds
    /// nobody; the other campaigns go on.
    private func result(
        of device: Int64, in row: CampaignRow, _ sql: AudienceSQL,
        _ verdict: (CampaignID) -> AudienceResults.Verdict
    ) throws -> AudienceResults.Verdict {
        let audience: AudiencePredicate
        do throws(ValueError) {
            audience = try sql.compile(audienceOf: row.campaign.draft)
        } catch {
            return .excludes
        }
        guard let plain = PlainPredicate(audience) else { return verdict(row.id) }
        return try connection.audiences.holds(device, app: row.app, audience: plain) ? .holds : .excludes
    }
}
