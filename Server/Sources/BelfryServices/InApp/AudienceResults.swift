import BelfryModel
import BelfryStore
import Foundation
import Synchronization

/// Results, for one device, about audiences that depend on events (SEC-8). Such audiences are evaluated separately, in
/// the lane for expensive queries. All others are cheap and are evaluated where they are needed.
struct AudienceResults: Sendable {
    enum Outcome: Hashable, Sendable {
        case holds
        case excludes
        /// The evaluation would cost too much: the campaign neither offers the device a new message nor removes one.
        case unknown
        /// The audience was not evaluated yet.
        case open
    }

    /// The results before any evaluation.
    static let none = AudienceResults()

    /// The campaigns' clock and the contact for which the results are valid.
    private var clock: Int64?
    private var contact: Int64?
    private var outcomes: [CampaignID: Outcome] = [:]
    /// Whether audiences that are still open stay so, as `unknown`.
    private let isFinal: Bool

    private init(isFinal: Bool = false) {
        self.isFinal = isFinal
    }

    func outcome(on campaign: CampaignID, contact: Int64?, clock: Int64) -> Outcome {
        guard self.clock == clock, self.contact == contact, let outcome = outcomes[campaign] else {
            return isFinal ? .unknown : .open
        }
        return outcome
    }
}

/// The result of a query, and the audiences that must be evaluated to complete it.
protocol AudienceDependentResult: Sendable {
    var open: Set<CampaignID> { get }
}

extension SQLDatabase {
    /// How often audiences are evaluated again while the campaigns or the contact change.
    private static var maximumRounds: Int { 3 }

    /// Runs a query for a caller, and evaluates the audiences that the query depends on.
    func look<Finding: AudienceDependentResult>(
        for caller: AuthenticatedCaller, campaigns: InAppCampaignCache, now: Date,
        _ found: @escaping @Sendable (any SQLConnection, DeviceLink, AudienceResults) throws -> Finding
    ) async throws -> (link: DeviceLink, value: Finding) {
        var results = AudienceResults.none
        for round in 1...Self.maximumRounds {
            let look = try await read(for: caller) { [results] in try found($0, $1, results) }
            guard !look.value.open.isEmpty else { return look }
            let open = look.value.open.sorted()
            let app = look.link.app
            results = try await judge(of: look.link, isFinal: round == Self.maximumRounds, now: now) {
                try campaigns.active(app: app, clock: $1, $0).rows(of: open)
            }
        }
        return try await read(for: caller) { [results] in try found($0, $1, results) }
    }

    /// Evaluates whether some campaigns' audiences contain a device. Each gets an equal share of what is left of the
    /// budget, so that none takes the others' share.
    ///
    /// - Parameter campaigns: reads the campaigns at a version of their app's clock.
    func judge(
        of link: DeviceLink, isFinal: Bool, now: Date,
        _ campaigns: @escaping @Sendable (any SQLConnection, _ clock: Int64) throws -> [CampaignRow]
    ) async throws -> AudienceResults {
        try await ask(.looking(device: link.id, app: link.app)) { asked in
            try AudienceResults(device: link.id, app: link.app, isFinal: isFinal, now: now, asked, campaigns)
        }
    }
}

/// In-app campaigns that one request evaluates for several devices, whatever the campaigns' status. They are read once
/// for all devices, as long as the app's clock does not change (SEC-2).
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
                outcomes[row.id] = holds ? .holds : .excludes
            } catch is ValueError {
                outcomes[row.id] = .excludes
            } catch StoreError.tooExpensive {
                outcomes[row.id] = .unknown
            }
        }
    }
}
