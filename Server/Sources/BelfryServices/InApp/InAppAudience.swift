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
    private let connection: any SQLConnection
    private let app: Int64
    private let now: Date
    /// Read with the first campaign, and once for all of them (SEC-2).
    private var compiler: AudienceSQL?

    /// - Parameter app: whose campaigns they are.
    init(of app: Int64, now: Date, in connection: any SQLConnection) {
        self.app = app
        self.now = now
        self.connection = connection
    }

    /// The app's in-app campaigns that go on and whose audience may hold the device now (IAM-1).
    ///
    /// - Parameters:
    ///   - active: the app's campaigns, as their clock has them.
    ///   - contact: the device's.
    mutating func candidates(
        among active: ActiveInAppCampaigns, for device: Int64, contact: Int64?, clock: Int64,
        _ verdicts: AudienceResults
    ) throws -> InAppCandidates {
        let campaigns = active.rows.filter { $0.campaign.draft.inApp?.hasEnded(by: now) == false }
        var candidates = InAppCandidates()
        guard !campaigns.isEmpty else { return candidates }
        let sql = try sql()
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
    mutating func verdict(
        on row: CampaignRow, device: Int64, _ verdict: (CampaignID) -> AudienceResults.Verdict
    ) throws -> AudienceResults.Verdict {
        let sql = try sql()
        return try result(of: device, in: row, sql, verdict)
    }

    private mutating func sql() throws -> AudienceSQL {
        if let compiler { return compiler }
        let made = try AudienceCompiler(connection: connection, app: app).sql(now: now)
        compiler = made
        return made
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
