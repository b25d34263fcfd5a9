import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// The data for one round over a batch, read in one database snapshot.
struct BatchContext: Sendable {
    var row: CampaignRow
    let content: PushContent
    var templates: PushTemplates
    /// The templates of the message center messages; nil for a campaign without them.
    var center: MessageCenterTemplates?
    /// How the campaign changes badges; nil if it does not.
    var badge: BadgeChange?
    let maximumBadge: Int
    var recipients: [Recipient] = []
    let credentials: [PushProvider: CredentialRecord]
    /// The push services whose circuit breaker has seen enough responses and found no problem.
    let watched: Set<PushProvider>
    /// The app's time zone, for dates without one.
    let timeZone: String

    var campaign: Campaign { row.campaign }
    var schedule: CampaignSchedule? { row.campaign.draft.schedule }
    var launchedAt: Date { row.campaign.launchedAt ?? row.campaign.createdAt }
    var retriesFrom: Date { row.retriesFrom ?? launchedAt }
}

/// Why a round cannot start.
enum BatchContextError: Error {
    /// The content can no longer be compiled; the error, if known.
    case unusableContent(String?)
}

/// The data of a campaign that a round reads before its content is compiled.
struct BatchSource: Sendable {
    let row: CampaignRow
    /// The app's attributes and their types.
    let schema: [String: AttributeType]
    let settings: AppSettings
    let credentials: [PushProvider: CredentialRecord]
    let watched: Set<PushProvider>
}

extension BatchSource {
    /// Reads the data of a campaign in one database snapshot.
    init(of row: CampaignRow, in connection: any SQLConnection) throws {
        self.init(
            row: row, schema: try connection.attributes.schema(app: row.app),
            settings: try connection.apps.find(id: row.app)?.settings ?? AppSettings(),
            credentials: try connection.credentials.all(app: row.app).filter {
                row.campaign.draft.isPushed(by: $0.key)
            },
            watched: try row.watch.map { try ProviderCircuitBreakers(text: $0).content } ?? []
        )
    }
}

extension BatchContext {
    /// Reads the context of a round over a batch in one database snapshot; nil if the campaign neither sends nor places
    /// messages. For a campaign with a rate limit it has as many recipients as may be sent to now. A campaign that only
    /// places skips recipients whose message is already placed, because they would use up that number in every round.
    /// Recipients with long values may be left to the next round.
    static func forRound(
        over batch: Batch, now: Date, in connection: any SQLConnection
    ) throws -> BatchContext? {
        guard let row = try connection.campaigns.find(batch.campaign), row.sends || row.onlyPlaces else { return nil }
        let limit = row.roundLimit(at: now)
        let source = try BatchSource(of: row, in: connection)
        var load = try BatchContext(compiling: source)
        load.row.moveBeginning(notAfter: now)
        if limit > 0 {
            load.recipients = try connection.recipients.pending(
                of: batch, app: row.app, values: load.templates.values, dueBy: now, isUnplaced: row.onlyPlaces,
                limit: limit
            )
        }
        return load
    }

    /// A context without recipients, compiled by the schema of the source.
    init(compiling source: BatchSource) throws(BatchContextError) {
        try self.init(source, texts: TextCompiler(schema: source.schema))
    }

    /// A context without recipients.
    ///
    /// - Parameter texts: compiles with the schema of the source.
    init(_ source: BatchSource, texts: TextCompiler) throws(BatchContextError) {
        let draft = source.row.campaign.draft
        guard let content = draft.sentContent else { throw .unusableContent(nil) }
        do throws(TemplateErrors) {
            var center = draft.kind.keepsMessage ? try MessageCenterTemplates(draft, texts: texts) : nil
            let templates = try PushTemplates(content, texts: texts, also: center?.messages.variables ?? [])
            // So that the message and the push read the same values.
            if let messages = center?.messages { center?.messages = messages.reading(templates.variables) }
            self.templates = templates
            self.center = center
        } catch {
            throw .unusableContent(error.errors.first.map { "\($0.field): \($0.error.message)" })
        }
        row = source.row
        self.content = content
        badge = draft.badgeChange
        maximumBadge = source.settings.maximumBadge
        credentials = source.credentials
        watched = source.watched
        timeZone = source.settings.timeZoneName
    }
}

extension CampaignRow {
    var sends: Bool { campaign.status == .sending }

    /// Moves the campaign's launch and resume to `now` if they are later: they have happened, even if the clock was set
    /// back since (REL-6).
    fileprivate mutating func moveBeginning(notAfter now: Date) {
        campaign.launchedAt = campaign.launchedAt.map { min($0, now) }
        retriesFrom = retriesFrom.map { min($0, now) }
    }

    /// Whether only messages are placed: the server has paused the campaign's pushes, which does not hold up its
    /// messages (MC-16).
    var onlyPlaces: Bool { campaign.status == .paused && placesWhilePaused }

    /// The most recipients that one round handles. A message that is placed while its push waits does not count toward
    /// the rate limit, and does not wait for it.
    func roundLimit(at now: Date) -> Int {
        guard sends || campaign.draft.kind == .messageCenter else { return .max }
        return allowance?.available(at: now) ?? .max
    }

    /// How many messages may leave now, as of this row; nil without a rate limit.
    var allowance: RateAllowance? {
        campaign.draft.schedule?.ratePerSecond.map { RateAllowance(perSecond: $0, nextUnit: rateUnit) }
    }
}
