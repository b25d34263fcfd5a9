import BelfryModel
import BelfryStore
import Foundation
import Synchronization

/// What was found out, for one device, of the audiences that ask for events (SEC-8). They are asked for by themselves,
/// in the lane of questions; what a look finds otherwise costs little, and is found where it is needed.
struct AudienceResults: Sendable {
    enum Verdict: Hashable, Sendable {
        case holds
        case excludes
        /// It would cost too much to know: the campaign offers the device nothing new, and takes nothing from it.
        case unknown
        /// Nobody has asked yet.
        case open
    }

    /// Before anybody has asked.
    static let none = AudienceResults()

    /// Of whom they are, and of which campaigns.
    private var clock: Int64?
    private var contact: Int64?
    private var verdicts: [CampaignID: Verdict] = [:]
    /// Whether what is open stays so.
    private let isFinal: Bool

    private init(isFinal: Bool = false) {
        self.isFinal = isFinal
    }

    func verdict(on campaign: CampaignID, contact: Int64?, clock: Int64) -> Verdict {
        guard self.clock == clock, self.contact == contact, let verdict = verdicts[campaign] else {
            return isFinal ? .unknown : .open
        }
        return verdict
    }
}

/// What a look has found, and which audiences it would have to know for all of it.
protocol AudienceDependentResult: Sendable {
    var open: Set<CampaignID> { get }
}

extension SQLDatabase {
    /// Times that audiences are asked for, while the campaigns or the contact change.
    private static var maximumRounds: Int { 3 }

    /// Looks for a caller, and asks for the audiences that the look has to know.
    func look<Finding: AudienceDependentResult>(
        for caller: AuthenticatedCaller, campaigns: InAppCampaignCache, now: Date,
        _ found: @escaping @Sendable (any SQLConnection, DeviceLink, AudienceResults) throws -> Finding
    ) async throws -> (link: DeviceLink, value: Finding) {
        var verdicts = AudienceResults.none
        for round in 1...Self.maximumRounds {
            let look = try await read(for: caller) { [verdicts] in try found($0, $1, verdicts) }
            guard !look.value.open.isEmpty else { return look }
            let open = look.value.open.sorted()
            let app = look.link.app
            verdicts = try await judge(of: look.link, isFinal: round == Self.maximumRounds, now: now) {
                try campaigns.active(app: app, clock: $1, $0).rows(of: open)
            }
        }
        return try await read(for: caller) { [verdicts] in try found($0, $1, verdicts) }
    }

    /// Asks whether some campaigns' audiences hold a device. Each has an equal part of what is left of the budget, so
    /// that none costs the others their answer.
    ///
    /// - Parameter campaigns: those, as a version of their app's clock has them.
    func judge(
        of link: DeviceLink, isFinal: Bool, now: Date,
        _ campaigns: @escaping @Sendable (any SQLConnection, _ clock: Int64) throws -> [CampaignRow]
    ) async throws -> AudienceResults {
        try await ask(.looking(device: link.id, app: link.app)) { asked in
            try AudienceResults(device: link.id, app: link.app, isFinal: isFinal, now: now, asked, campaigns)
        }
    }
}

/// In-app campaigns that one request asks about for device after device, in whatever state they are: read once for all of
/// them, as long as their app's clock stands (SEC-2).
final class AskedCampaigns: Sendable {
    private struct Version {
        let ids: [CampaignID]
        let clock: Int64
        let rows: [CampaignRow]
    }

    private let kept = Mutex<Version?>(nil)

    func rows(
        of ids: [CampaignID], app: Int64, clock: Int64, in connection: any SQLConnection
    ) throws -> [CampaignRow] {
        if let version = kept.withLock({ $0 }), version.ids == ids, version.clock == clock { return version.rows }
        let rows = try connection.inAppCampaigns.find(ids, app: app)
        kept.withLock { $0 = Version(ids: ids, clock: clock, rows: rows) }
        return rows
    }
}

extension AudienceResults {
    fileprivate init(
        device: Int64, app: Int64, isFinal: Bool, now: Date, _ asked: PredicateConnection,
        _ campaigns: (any SQLConnection, _ clock: Int64) throws -> [CampaignRow]
    ) throws {
        self.init(isFinal: isFinal)
        let connection = asked.connection
        let clock = try connection.inAppRevisions.find(app: app).version
        self.clock = clock
        contact = try connection.devices.link(id: device)?.contact
        let sql = try AudienceCompiler(connection: connection, app: app).sql(now: now)
        let rows = try campaigns(connection, clock)
        for (index, row) in rows.enumerated() {
            let share = 1 / Double(rows.count - index)
            do {
                let audience = try sql.compile(audienceOf: row.campaign.draft)
                let holds = try asked.holds(device, app: app, audience: audience, share: share)
                verdicts[row.id] = holds ? .holds : .excludes
            } catch is ValueError {
                verdicts[row.id] = .excludes
            } catch StoreError.tooExpensive {
                verdicts[row.id] = .unknown
            }
        }
    }
}
