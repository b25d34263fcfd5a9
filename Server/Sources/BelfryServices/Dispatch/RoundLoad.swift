import BelfryModel
import BelfryPush
import BelfryRules
import BelfryStore
import Foundation

/// What one round over a batch works on, read in one view of the database.
struct RoundLoad: Sendable {
    let row: CampaignRow
    let content: PushContent
    let templates: CampaignTemplates
    /// Of what it keeps in a message centre; nil for a campaign that keeps nothing.
    var center: CenterTemplates?
    /// What it does to badges.
    var badge: BadgeChange?
    let maximumBadge: Int
    /// Devices whose message lies in its centre already: a message-centre campaign's badge push is tried again.
    var placed: Set<Int64> = []
    let recipients: [Recipient]
    let credentials: [PushProvider: CredentialRecord]
    /// The push services whose trouble watch is content.
    let watched: Set<PushProvider>
    /// Of the app: dates without a zone are in it.
    let timeZone: String

    var campaign: Campaign { row.campaign }
    var schedule: CampaignSchedule? { row.campaign.draft.schedule }
    var launchedAt: Date { row.campaign.launchedAt ?? row.campaign.createdAt }
    var retriesFrom: Date { row.retriesFrom ?? launchedAt }
}

/// What a round cannot begin with.
enum RoundFault: Error {
    /// The content cannot be compiled any more; what is wrong with it, where that is known.
    case unusableContent(String?)
}

extension SQLConnection {
    /// Nil when the campaign is not sending. Of a campaign with a rate limit, as many recipients as may leave now.
    func roundLoad(of batch: Batch, now: Date) throws -> RoundLoad? {
        guard let row = try campaigns.find(batch.campaign), row.campaign.status == .sending else { return nil }
        let limit = row.allowance?.available(at: now) ?? .max
        var load = try roundLoad(of: row) { templates in
            guard limit > 0 else { return [] }
            return try deliveries.recipients(
                of: batch, app: row.app, values: templates.values, dueBy: now, limit: limit
            )
        }
        if load.isPlacing, load.badge != nil { load.placed = try deliveries.placed(of: batch) }
        return load
    }

    /// - Parameter recipients: reads them, with what the templates ask for.
    func roundLoad(
        of row: CampaignRow, recipients: (CampaignTemplates) throws -> [Recipient]
    ) throws -> RoundLoad {
        let draft = row.campaign.draft
        guard let content = draft.sentContent else { throw RoundFault.unusableContent(nil) }
        let templates: CampaignTemplates
        let center: CenterTemplates?
        do {
            let schema = try attributes.schema(app: row.app)
            center = draft.kind.keepsMessage ? try CenterTemplates(draft, schema: schema) : nil
            templates = try CampaignTemplates(content, schema: schema, also: center?.variables ?? [])
        } catch let faults as TemplateFaults {
            throw RoundFault.unusableContent(faults.faults.first.map { "\($0.field): \($0.refusal.message)" })
        }
        let settings = try apps.find(id: row.app)?.settings ?? AppSettings()
        return RoundLoad(
            row: row, content: content, templates: templates, center: center?.reading(templates.values),
            badge: draft.badgeChange, maximumBadge: settings.maximumBadge, recipients: try recipients(templates),
            credentials: try credentials.all(app: row.app).filter { draft.isPushed(by: $0.key) },
            watched: try row.watch.map { try TroubleWatches(text: $0).content } ?? [],
            timeZone: settings.timeZoneName
        )
    }
}

extension CampaignRow {
    /// How many messages may leave now, as of this row; nil without a rate limit.
    var allowance: RateAllowance? {
        campaign.draft.schedule?.ratePerSecond.map { RateAllowance(perSecond: $0, nextUnit: rateUnit) }
    }
}
