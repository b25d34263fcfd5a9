import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Another campaign whose notifications count against a cap (CAMP-5), and its recipients.
struct OtherNotifications: Sendable {
    enum Recipients: Sendable {
        /// The audience of a campaign that has not started.
        case audience(Condition)
        /// The pending recipients of a campaign that is sending.
        case pending
    }

    let campaign: CampaignID
    let recipients: Recipients
    /// When the campaign starts or started.
    let launch: Date
    let cap: FrequencyCap?
    /// Whether it has a rate limit. Then all its recipients take part in the simulation, including those that are not
    /// rehearsed.
    let isRated: Bool

    var isPending: Bool {
        if case .pending = recipients { true } else { false }
    }
}

/// The other campaigns that send notifications before or during the rehearsed one.
struct OtherCampaigns: Sendable {
    /// The most campaigns that are simulated: half of them are sending, and half are the first to start. Places that
    /// one group leaves go to the other.
    static let maximum = 20

    private struct Found: Sendable {
        let source: BatchSource
        let isSending: Bool
    }

    private var found: [Found] = []
    /// Sentences about what the simulation leaves out.
    private(set) var warnings: [String] = []

    /// No other campaigns, if no frequency cap needs them.
    init() {}

    /// The app's campaigns that are sending, or that start before a moment.
    init(
        app: AppRecord, before date: Date, except campaign: CampaignID, now: Date, in connection: any SQLConnection
    ) throws {
        let sending = try connection.campaigns.notifying(app: app.id, since: now)
            .filter { $0.isSending && $0.id != campaign.number }.map { $0.id }
        // One more than are simulated, and another one because the rehearsed campaign may be among them.
        let later = try connection.campaigns.notifyingLater(app: app.id, before: date, limit: Self.maximum + 2)
            .filter { $0 != campaign.number }
        let played = sending.prefix(max(Self.maximum / 2, Self.maximum - later.count))
        let ids = played + later.prefix(Self.maximum - played.count)
        for id in ids {
            do {
                guard let row = try CampaignID(id).flatMap(connection.campaigns.find) else { continue }
                try take(row, now: now, in: connection)
            } catch let error where error.meansUnreadable {
                // Its row cannot be read, so a worker that reads it cancels the campaign.
                continue
            }
        }
        warn(ofSending: sending.count > played.count, ofLater: later.count > Self.maximum - played.count)
    }

    /// Adds a warning about the campaigns that are not simulated.
    private mutating func warn(ofSending: Bool, ofLater: Bool) {
        guard ofSending || ofLater else { return }
        var sentences = [
            "More than \(Self.maximum) other campaigns may count against the frequency cap. \(Self.maximum) are rehearsed "
                + "with it."
        ]
        if ofSending {
            sentences.append(
                "Of the others, running campaigns count with what they sent, and with what waits as if it were sent at once."
            )
        }
        if ofLater { sentences.append("Of the others, campaigns that have not started do not count.") }
        warnings.append(sentences.joined(separator: " "))
    }

    private mutating func take(_ row: CampaignRow, now: Date, in connection: any SQLConnection) throws {
        var row = row
        let isSending = row.campaign.status == .sending
        if isSending {
            if !row.isPlanned {
                warnings.append(
                    """
                    Campaign \(row.id) is still selecting its audience: devices that it has not selected yet do not count \
                    against the frequency cap.
                    """
                )
            }
        } else {
            let compiler = AudienceCompiler(connection: connection, app: row.app)
            guard try compiler.errors(of: row.campaign.draft.audience).isEmpty else { return leaveOut(row.id) }
            let launch = row.campaign.rehearsedLaunch(now: now)
            row.campaign.launchedAt = launch
            row.retriesFrom = launch
        }
        found.append(Found(source: try BatchSource(of: row, in: connection), isSending: isSending))
    }

    private mutating func leaveOut(_ id: CampaignID) {
        warnings.append(
            "Campaign \(id) cannot be sent as it is, so it does not count against the frequency cap."
        )
    }

    /// Compiles the campaigns' content, outside of any audience query. A campaign whose content does not compile is
    /// left out, because the server would pause it.
    func compiled() -> (loads: [BatchContext], notifications: [OtherNotifications], warnings: [String]) {
        var others = self
        var loads: [BatchContext] = []
        var notifications: [OtherNotifications] = []
        for entry in found {
            guard let load = try? BatchContext(compiling: entry.source) else {
                others.leaveOut(entry.source.row.id)
                continue
            }
            loads.append(load)
            notifications.append(
                OtherNotifications(
                    campaign: load.row.id,
                    recipients: entry.isSending ? .pending : .audience(load.campaign.draft.audience),
                    launch: load.launchedAt, cap: load.schedule?.frequencyCap,
                    isRated: load.schedule?.ratePerSecond != nil
                )
            )
        }
        return (loads, notifications, others.warnings)
    }
}

extension Campaign {
    /// When a launch now would start to send, or when the scheduled campaign will; now if that time has passed.
    func rehearsedLaunch(now: Date) -> Date {
        max(now, scheduledAt ?? draft.schedule?.firstSend ?? now)
    }
}
