import BelfryModel
import BelfryStore
import Foundation

/// The app's in-app campaigns that have not ended, by whether their audience contains the device.
struct InAppCandidates: Sendable {
    /// Campaigns whose audience contains the device.
    var held: [CampaignRow] = []
    /// Campaigns for which that is unknown, because the evaluation costs too much.
    var unknown: Set<CampaignID> = []
    /// Campaigns whose audience must be evaluated first.
    var open: Set<CampaignID> = []
}

/// Evaluates whether in-app campaigns' audiences contain a device (IAM-1), in one view of the store. Audiences that
/// depend on events are evaluated elsewhere, and their results are passed in (``AudienceResults``).
struct InAppAudience {
    private let connection: any SQLConnection
    private let app: Int64
    private let now: Date
    /// Created for the first campaign and used for all of them (SEC-2).
    private var compiler: AudienceSQL?

    /// - Parameter app: the app of the campaigns.
    init(of app: Int64, now: Date, in connection: any SQLConnection) {
        self.app = app
        self.now = now
        self.connection = connection
    }

    /// The app's in-app campaigns that have not ended and whose audience may contain the device now (IAM-1).
    ///
    /// - Parameters:
    ///   - active: the app's active campaigns, at the version of their clock.
    ///   - contact: the device's contact.
    mutating func candidates(
        among active: ActiveInAppCampaigns, for device: Int64, contact: Int64?, clock: Int64,
        _ results: AudienceResults
    ) throws -> InAppCandidates {
        let campaigns = active.rows.filter { $0.campaign.draft.inApp?.hasEnded(by: now) == false }
        var candidates = InAppCandidates()
        guard !campaigns.isEmpty else { return candidates }
        let sql = try sql()
        for row in campaigns {
            switch try result(of: device, in: row, sql, { results.outcome(on: $0, contact: contact, clock: clock) })
            {
            case .holds: candidates.held.append(row)
            case .excludes: break
            case .unknown: candidates.unknown.insert(row.id)
            case .open: candidates.open.insert(row.id)
            }
        }
        return candidates
    }

    /// Whether the audience of one campaign contains the device now.
    ///
    /// - Parameter outcome: the result for an audience that depends on events.
    mutating func outcome(
        on row: CampaignRow, device: Int64, _ outcome: (CampaignID) -> AudienceResults.Outcome
    ) throws -> AudienceResults.Outcome {
        let sql = try sql()
        return try result(of: device, in: row, sql, outcome)
    }

    private mutating func sql() throws -> AudienceSQL {
        if let compiler { return compiler }
        let made = try AudienceCompiler(connection: connection, app: app).sql(now: now)
        compiler = made
        return made
    }

    /// An audience that can no longer be selected, because an attribute has another type than when it was saved,
    /// contains nobody. The other campaigns are not affected.
    private func result(
        of device: Int64, in row: CampaignRow, _ sql: AudienceSQL,
        _ outcome: (CampaignID) -> AudienceResults.Outcome
    ) throws -> AudienceResults.Outcome {
        let audience: AudiencePredicate
        do throws(ValueError) {
            audience = try sql.compile(audienceOf: row.campaign.draft)
        } catch {
            return .excludes
        }
        guard let plain = PlainPredicate(audience) else { return outcome(row.id) }
        return try connection.audiences.holds(device, app: row.app, audience: plain) ? .holds : .excludes
    }
}
